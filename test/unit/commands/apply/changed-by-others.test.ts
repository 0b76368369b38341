import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { remoteService, type RemoteService } from '../../../support/servers/remote-service.ts';
import { berthIn, type Ran } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

interface Outcome {
  readonly name: string;
  readonly ok: boolean;
  readonly action: string;
  readonly error?: { readonly code: string; readonly message: string };
}

const POD = 'kind: pod\nname: train-llm\nimage: mine:1';
const VOLUME = 'kind: volume\nname: datasets\nsize: 4000';
const NEW = 'kind: volume\nname: fresh\nsize: 10\ndataCenter: EU-NORTH-1';

/** Applies; before the second time that a request is sent, which is after the plan, somebody else does something. */
async function applyWhile(
  text: string,
  request: string,
  others: (remote: RemoteService) => Promise<unknown>,
  flags: readonly string[] = [],
): Promise<{ ran: Ran; outcomes: readonly Outcome[]; remote: RemoteService }> {
  let seen = 0;
  const remote = await remoteService(({ method, url }) =>
    `${method} ${url.split('?', 1)[0] ?? ''}` === request && ++seen === (request.includes('/pods/') ? 1 : 2)
      ? { first: () => others(remote) }
      : undefined,
  );
  const world = createTestWorld({ env: remote.env, clock: remote.clock });
  writeFileSync(path.join(world.directory, 'fleet.yaml'), text);
  const ran = await berthIn(world, ['apply', 'fleet.yaml', '--yes', '--json', ...flags]);
  return { ran, outcomes: JSON.parse(ran.out) as readonly Outcome[], remote };
}

describe('somebody else changes things between the plan and the write', () => {
  const others = async ({ send }: RemoteService) =>
    await send('PATCH', '/v2/pods/pod-train', { image: 'theirs:1', name: 'train-llm' });

  test('the same member: refused for it, and said which; what comes before it is done', async () => {
    const { ran, outcomes, remote } = await applyWhile(`${POD}\n---\n${VOLUME}`, 'GET /v2/pods/pod-train', others);
    expect(ran.code).toBe(5);
    expect(outcomes).toMatchObject([
      {
        name: 'train-llm',
        ok: false,
        error: { code: 'refused', message: expect.stringMatching(/else since.*: image$/) as string },
      },
      { name: 'datasets', ok: true, action: 'update' },
    ]);
    expect((await remote.send('GET', '/v2/pods/pod-train')).body['image']).toBe('theirs:1');
  });

  test('another member: the change is made, and theirs stays', async () => {
    const { ran, remote } = await applyWhile(POD, 'GET /v2/pods/pod-train', async ({ send }) =>
      send('PATCH', '/v2/pods/pod-train', { locked: true }),
    );
    expect([ran.code, ran.err]).toEqual([0, expect.any(String)]);
    expect((await remote.send('GET', '/v2/pods/pod-train')).body).toMatchObject({ image: 'mine:1', locked: true });
  });

  test('it is made as the file says: nothing is left to do', async () => {
    const { ran, outcomes } = await applyWhile(POD, 'GET /v2/pods/pod-train', async ({ send }) =>
      send('PATCH', '/v2/pods/pod-train', { image: 'mine:1' }),
    );
    expect([ran.code, outcomes]).toMatchObject([0, [{ ok: true, action: 'none' }]]);
  });

  test('it is deleted: refused', async () => {
    const { ran, outcomes } = await applyWhile(POD, 'GET /v2/pods/pod-train', async ({ send }) =>
      send('DELETE', '/v2/pods/pod-train'),
    );
    expect([ran.code, outcomes]).toMatchObject([4, [{ ok: false, error: { code: 'not-found' } }]]);
  });

  test.each([
    ['as the file says', 10, 0, { ok: true, action: 'none' }],
    ['in another way', 20, 5, { ok: false, error: { message: expect.stringMatching(/: size$/) as string } }],
  ])('a new thing is made by them, %s: it is not made twice', async (_, size, code, outcome) => {
    const { ran, outcomes, remote } = await applyWhile(NEW, 'GET /v2/network-volumes', async ({ send }) =>
      send('POST', '/v2/network-volumes', { name: 'fresh', size, dataCenter: 'EU-NORTH-1' }),
    );
    expect([ran.code, outcomes]).toMatchObject([code, [outcome]]);
    const volumes = (await remote.send('GET', '/v2/network-volumes')).body['networkVolumes'] as readonly Outcome[];
    expect(volumes.filter(({ name }) => name === 'fresh')).toHaveLength(1);
  });

  test('--keep-going does what can be done of the rest', async () => {
    const text = `${POD}\n---\nkind: template\nid: tpl-train\nname: team training\nimage: other:1\n---\n${VOLUME}`;
    const { ran, outcomes } = await applyWhile(text, 'GET /v2/pods/pod-train', others, ['--keep-going']);
    expect(ran.code).toBe(5);
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, true, true]);
  });
});

describe('each kind that somebody else changes between the plan and the write is left alone, and the member is said', () => {
  test.each([
    ['pod', 'pods/pod-train', { name: 'train-llm', image: 'mine:1' }, { image: 'theirs:1' }, 'image'],
    ['endpoint', 'serverless/echo', { name: 'echo', timeout: 77_000 }, { timeout: 88_000 }, 'timeout'],
    [
      'template',
      'templates/tpl-train',
      { id: 'tpl-train', name: 'team training', image: 'mine:1' },
      { image: 'theirs:1' },
      'image',
    ],
    ['volume', 'network-volumes/vol-datasets', { name: 'datasets', size: 4000 }, { size: 3000 }, 'size'],
  ])('%s', async (kind, at, members, theirs, member) => {
    let isFirst = true;
    const remote = await remoteService(({ method, url }) => {
      if (method !== 'GET' || url !== `/v2/${at}` || !isFirst) return undefined;
      isFirst = false;
      return { first: () => remote.send('PATCH', `/v2/${at}`, theirs) };
    });
    const world = createTestWorld({ env: remote.env, clock: remote.clock });
    writeFileSync(path.join(world.directory, 'fleet.yaml'), JSON.stringify({ kind, ...members }));
    const ran = await berthIn(world, ['apply', 'fleet.yaml', '--yes', '--json']);
    expect([ran.code, JSON.parse(ran.out)]).toMatchObject([
      5,
      [{ ok: false, error: { code: 'refused', message: expect.stringMatching(`else since.*: ${member}$`) as string } }],
    ]);
    expect((await remote.send('GET', `/v2/${at}`)).body).toMatchObject(theirs);
  });

  // A registry has no update: only one of its name can appear.
  test('registry', async () => {
    let seen = 0;
    const remote = await remoteService(({ method, url }) =>
      method === 'GET' && url.startsWith('/v2/registries') && ++seen === 2
        ? { first: () => remote.send('POST', '/v2/registries', { name: 'hub', username: 'they', password: 'p' }) }
        : undefined,
    );
    const world = createTestWorld({ env: remote.env, clock: remote.clock });
    writeFileSync(path.join(world.directory, 'fleet.yaml'), '{kind: registry, name: hub, username: me, password: p}');
    const ran = await berthIn(world, ['apply', 'fleet.yaml', '--yes', '--json']);
    expect([ran.code, JSON.parse(ran.out)]).toMatchObject([0, [{ ok: true, action: 'none' }]]);
  });
});
