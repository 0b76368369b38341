import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { remoteService, type RemoteService } from '../../../support/servers/remote-service.ts';
import { inWorld, rows, run } from '../../../support/worlds/plan-runs.ts';
import { berthIn, type Ran } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../../../support/worlds/test-world.ts';

const POD = (name: string): string => `kind: pod\nname: ${name}\nimage: a/b:1\ngpu: {id: GPU-24G}\nenv: {MODE: fast}`;
const THREE = [POD('a'), POD('b'), POD('c')];
const TEMPLATE = 'kind: template\nname: base\nimage: a/b:1\nserverless: true';
const ENDPOINT = 'kind: endpoint\nname: api\ntemplate: base\ngpu: {pools: [POOL-24G]}';
const VOLUME = 'kind: volume\nname: data\nsize: 10\ndataCenter: EU-NORTH-1';
const FLEET = [POD('a'), POD('b'), TEMPLATE, ENDPOINT, VOLUME];
const SET = ['--set-name', 'web'];
const PRUNE = [...SET, '--prune'];

const write = (world: TestWorld, documents: readonly string[]): void => {
  writeFileSync(path.join(world.directory, 'fleet.yaml'), documents.join('\n---\n'));
};

async function apply(world: TestWorld, documents: readonly string[], flags: readonly string[]): Promise<Ran> {
  write(world, documents);
  return await run(world, ['apply', 'fleet.yaml', '--yes', ...flags]);
}

async function fleetOf(documents = FLEET): Promise<TestWorld> {
  const world = inWorld();
  const ran = await apply(world, documents, SET);
  expect(ran.code, ran.err).toBe(0);
  return world;
}

const named = async (world: TestWorld, noun: string): Promise<readonly string[]> =>
  (JSON.parse((await run(world, [noun, 'list', '--json'])).out) as { readonly name: string }[])
    .map(({ name }) => name)
    .filter((name) => ['a', 'b', 'c', 'base', 'api', 'data'].includes(name))
    .toSorted();

describe('apply --prune', () => {
  test('removes what the set made and no file names, after everything else, and never a volume', async () => {
    const world = await fleetOf();
    const planned = await rows(world, [POD('a'), POD('c')].join('\n---\n'), PRUNE);
    expect(planned.map(({ action, kind, name }) => [action, kind, name])).toEqual([
      ['none', 'pod', 'a'],
      ['create', 'pod', 'c'],
      ['delete', 'template', 'base'],
      ['delete', 'endpoint', 'api'],
      ['delete', 'pod', 'b'],
    ]);
    const ran = await apply(world, [POD('a'), POD('c')], [...PRUNE, '--max-prune', '3']);
    expect([ran.code, ran.err], ran.out).toEqual([0, '1 created, 3 removed, 1 unchanged.\n']);
    expect(await named(world, 'pods')).toEqual(['a', 'c']);
    expect([await named(world, 'endpoints'), await named(world, 'templates')]).toEqual([[], []]);
    expect(await named(world, 'volumes')).toEqual(['data']);
    expect((await apply(world, [POD('a'), POD('c')], PRUNE)).err).toBe('2 unchanged.\n');
  });

  test('the mark is of one set: other sets, what has no mark, and copies of a pod stay', async () => {
    const world = await fleetOf();
    await apply(world, [POD('c')], ['--set-name', 'other']);
    writeFileSync(path.join(world.directory, 'a.yaml'), (await run(world, ['pods', 'get', 'a', '-o', 'yaml'])).out);
    expect((await run(world, ['pods', 'create', '--name', 'copy', '--file', 'a.yaml'])).code).toBe(0);
    const planned = await rows(world, FLEET.slice(1).join('\n---\n'), PRUNE);
    expect(planned.filter(({ action }) => action === 'delete').map(({ name }) => name)).toEqual(['a']);
  });

  test.each<readonly [string, readonly string[], readonly string[], number, RegExp]>([
    ['an empty file', [''], PRUNE, 5, /more than half.*nothing was sent/],
    ['a file of comments', ['# nothing\n'], PRUNE, 5, /more than half.*nothing was sent/],
    ['more than half', [POD('a')], PRUNE, 5, /more than half.*nothing was sent/],
    ['more than --max-prune', [POD('a')], [...PRUNE, '--max-prune', '1'], 15, /nothing was sent/],
    ['no name of a set', [POD('a'), POD('b')], ['--prune'], 2, /--set-name/],
    ['a word that is no name of a set', [POD('a')], ['--set-name', 'a b'], 2, /--set-name/],
  ])('%s is refused, and nothing is sent', async (_, documents, flags, code, says) => {
    const world = await fleetOf(THREE);
    const ran = await apply(world, documents, flags);
    expect([ran.code, ran.err]).toEqual([code, expect.stringMatching(says) as string]);
    expect(await named(world, 'pods')).toEqual(['a', 'b', 'c']);
  });

  test('nothing is removed while something before it failed, and it ends with the failure', async () => {
    const world = await fleetOf(THREE);
    const docs = [POD('a'), POD('c'), POD('d').replace('GPU-24G', 'GPU-24G, count: 9')];
    const ran = await apply(world, docs, [...PRUNE, '--json']);
    const outcomes = JSON.parse(ran.out) as readonly { name: string; error?: { message: string } }[];
    expect(ran.code).toBe(5);
    expect(outcomes.find(({ name }) => name === 'b')?.error?.message).toBe('not done: something before it failed');
    expect(await named(world, 'pods')).toEqual(['a', 'b', 'c']);
  });

  test('nothing is removed where a file is missing (14) or a list is not whole (7)', async () => {
    const world = await fleetOf(THREE);
    expect((await run(world, ['apply', 'missing.yaml', '--yes', ...PRUNE, '--max-prune', '9'])).code).toBe(14);
    await run(world, ['local', 'fault', 'add', 'server-error', '--match', 'GET /v2/serverless', '--count', '50']);
    expect(await apply(world, [POD('a'), POD('b')], PRUNE)).toMatchObject({ code: 7, out: '' });
    expect(await named(world, 'pods')).toEqual(['a', 'b', 'c']);
  });

  test('says that a persistent mount is destroyed only where there is one', async () => {
    const world = await fleetOf([`${POD('a')}\nmounts: {persistent: {size: 20, path: /data}}`, POD('b'), POD('c')]);
    const planned = await rows(world, POD('c'), PRUNE);
    expect(Object.fromEntries(planned.map(({ name, why }) => [name, why]))).toEqual({
      a: 'container disk and persistent mount erased',
      b: 'container disk erased',
      c: undefined,
    });
  });

  test('a profile that may not destroy is refused before anything is sent', async () => {
    const world = await fleetOf([POD('a'), POD('b')]);
    write(world, [POD('a'), POD('c')]);
    const env = { BERTH_LOCAL: '1', BERTH_DATA_DIR: path.join(world.directory, 'data'), BERTH_ACCESS: 'write' };
    const other = createTestWorld({ env, cwd: world.directory, clock: world.clock });
    const ran = await berthIn(other, ['apply', 'fleet.yaml', '--yes', ...PRUNE]);
    expect([ran.code, ran.err]).toEqual([3, expect.stringContaining('nothing was sent')]);
    expect(await named(world, 'pods')).toEqual(['a', 'b']);
  });

  test('an empty file removes the set where --max-prune allows it; without --yes it asks', async () => {
    const world = await fleetOf([POD('a'), POD('b')]);
    write(world, ['']);
    const flags = [...PRUNE, '--max-prune', '2'];
    const asked = await run(world, ['apply', 'fleet.yaml', ...flags]);
    expect([asked.code, asked.err]).toEqual([2, expect.stringContaining('--yes') as string]);
    expect((await apply(world, [''], flags)).code).toBe(0);
    expect(await named(world, 'pods')).toEqual([]);
  });

  test('a locked pod is not removed', async () => {
    const world = await fleetOf([`${POD('a')}\nlocked: true`, POD('b'), POD('c')]);
    const ran = await apply(world, [POD('b'), POD('c')], PRUNE);
    expect([ran.code, ran.err]).toEqual([5, expect.stringContaining('locked') as string]);
    expect(await named(world, 'pods')).toEqual(['a', 'b', 'c']);
  });
});

test.each<readonly [string, (remote: RemoteService, id: string) => Promise<unknown>, string | undefined]>([
  ['gets another name', ({ send }, id) => send('PATCH', `/v2/pods/${id}`, { name: 'kept' }), 'name'],
  ['loses its mark', ({ send }, id) => send('PATCH', `/v2/pods/${id}`, { env: { MODE: 'fast' } }), 'env.BERTH_SET'],
  ['is locked', ({ send }, id) => send('PATCH', `/v2/pods/${id}`, { locked: true }), 'locked'],
  ['is removed by somebody else', ({ send }, id) => send('DELETE', `/v2/pods/${id}`), undefined],
])('what is to be removed %s meanwhile: it stays, or that is what was wanted', async (_, others, member) => {
  let id = '?';
  const remote = await remoteService(({ method, url }) =>
    method === 'GET' && url === `/v2/pods/${id}` ? { first: () => others(remote, id) } : undefined,
  );
  const { directory } = createTestWorld();
  const applied = (documents: readonly string[], ...flags: readonly string[]) => {
    const world = createTestWorld({ env: remote.env, clock: remote.clock, cwd: directory });
    writeFileSync(path.join(directory, 'fleet.yaml'), documents.join('\n---\n'));
    return berthIn(world, ['apply', 'fleet.yaml', '--yes', ...flags]);
  };
  await applied([POD('a'), POD('b')], ...SET);
  const pods = async () => (await remote.send('GET', '/v2/pods')).body['pods'] as { id: string; name: string }[];
  id = (await pods()).find(({ name }) => name === 'b')?.id ?? '';
  const ran = await applied([POD('a')], ...PRUNE);
  expect([ran.code, (await pods()).some((each) => each.id === id)]).toEqual(
    member === undefined ? [0, false] : [5, true],
  );
  expect(ran.err).toContain(member === undefined ? '' : `since the plan, so not removed: ${member}`);
});
