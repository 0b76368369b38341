import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { objectionsTo } from '../../../support/schemas/printed-schemas.ts';
import { inWorld, plan, rows, run } from '../../../support/worlds/plan-runs.ts';
import type { Ran } from '../../../support/worlds/run-berth.ts';
import type { TestWorld } from '../../../support/worlds/test-world.ts';

interface Outcome {
  readonly action: string;
  readonly kind: string;
  readonly name: string;
  readonly id?: string;
  readonly ok: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

const FLEET = `
kind: pod
name: lab
template: base
gpu: {id: GPU-24G}
volume: data
env: {MODE: fast, TOKEN: hidden-token}
---
kind: endpoint
name: api
template: base
gpu: {pools: [POOL-24G]}
networkVolumes: [data]
---
kind: template
name: base
image: a/b:1
registry: hub
---
kind: volume
name: data
size: 20
dataCenter: EU-NORTH-1
---
kind: registry
name: hub
username: me
password: hidden-password
`;

async function apply(world: TestWorld, text: string, flags: readonly string[] = ['--yes']): Promise<Ran> {
  writeFileSync(path.join(world.directory, 'fleet.yaml'), text);
  return await run(world, ['apply', 'fleet.yaml', ...flags]);
}

async function outcomes(world: TestWorld, text: string, flags: readonly string[] = []): Promise<readonly Outcome[]> {
  const ran = await apply(world, text, ['--yes', '--json', ...flags]);
  const value = JSON.parse(ran.out) as readonly Outcome[];
  expect(objectionsTo('apply-results', value)).toBeUndefined();
  expect(ran.code === 0, ran.err).toBe(value.every(({ ok }) => ok));
  return value;
}

const differingIn = async (world: TestWorld, text: string) =>
  (await rows(world, text)).filter(({ action }) => action !== 'none');

test('what the service names in one of several refusals is said', async () => {
  const documents = `${FLEET}---\nkind: endpoint\nname: odd\nimage: a/b:1\ngpu: {pools: [POOL-24G]}\nworkers: {max: three}\n`;
  const { code, err } = await apply(inWorld(), documents);
  expect(code).toBe(5);
  expect(err).toMatch(/ {2}- endpoint odd: .*; \/workers\/max: must be integer/);
});

describe('berth apply', () => {
  test('makes what is missing, what others refer to first, and then nothing differs', async () => {
    const world = inWorld();
    const first = await outcomes(world, FLEET);
    expect(first.map(({ action, kind, name, ok }) => [action, kind, name, ok])).toEqual([
      ['create', 'pod', 'lab', true],
      ['create', 'endpoint', 'api', true],
      ['create', 'template', 'base', true],
      ['create', 'volume', 'data', true],
      ['create', 'registry', 'hub', true],
    ]);
    expect(await differingIn(world, FLEET)).toEqual([]);
    const again = await outcomes(world, FLEET);
    expect(again.map(({ action, id }) => [action, id])).toEqual(first.map(({ id }) => ['none', id]));
    const ran = await apply(world, FLEET);
    expect([ran.code, ran.err]).toEqual([0, '5 unchanged.\n']);
  });

  const POD = 'kind: pod\nname: train-llm\n';
  const VOLUME = 'kind: volume\nname: datasets\n';

  test('a thing that is there gets the id of one that is made in the same run', async () => {
    const world = inWorld();
    const text = `kind: registry\nname: hub\nusername: me\npassword: hidden\n---\n${POD}registry: hub`;
    expect(await outcomes(world, text)).toMatchObject([{ action: 'create' }, { action: 'update', ok: true }]);
    expect(await differingIn(world, text)).toEqual([]);
  });

  test('keeps the variables that a file does not name, and clears what is null', async () => {
    const world = inWorld();
    await outcomes(world, FLEET);
    await outcomes(world, 'kind: pod\nname: lab\nenv: {MODE: null, OTHER: "1"}');
    const pod = JSON.parse((await run(world, ['pods', 'get', 'lab', '--json'])).out) as { readonly env: unknown };
    expect(pod.env).toMatchObject({ TOKEN: 'hidden-token', OTHER: '1' });
    expect(pod.env).not.toHaveProperty('MODE');
  });

  test('says what all cost before and after, also without a question', async () => {
    const text = `${FLEET}\n---\n${VOLUME}size: 4000`;
    const planned = (await plan(inWorld(), text)).err.split('Cost: ')[1] ?? '?';
    expect((await apply(inWorld(), text)).err).toContain(planned.trim());
  });

  test('asks before it restarts a pod or grows a volume, and without a terminal needs --yes: nothing is sent', async () => {
    const world = inWorld();
    for (const text of [`${POD}image: other:1`, `${VOLUME}size: 4000`]) {
      const ran = await apply(world, text, []);
      expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('--yes')]);
      expect(await differingIn(world, text)).toHaveLength(1);
    }
    expect((await apply(world, FLEET, [])).code).toBe(0);
  });

  test('a dry run prints the requests in their order, without secrets of --env-from and passwords', async () => {
    const world = inWorld();
    writeFileSync(path.join(world.directory, 'v.env'), 'TOKEN=hidden-token\n');
    const ran = await apply(world, FLEET.replace('hidden-token', '"${TOKEN}"'), ['--dry-run', '--env-from', 'v.env']);
    const requests = JSON.parse(ran.out) as readonly { readonly url: string; readonly body: unknown }[];
    expect(requests.map(({ url }) => url.replace('http://localhost/v2/', ''))).toEqual([
      ...['registries', 'network-volumes', 'templates', 'serverless', 'pods'],
    ]);
    expect(requests.at(-1)?.body).toMatchObject({ templateId: 'base', env: { MODE: 'fast', TOKEN: '***' } });
    expect(ran.out + ran.err).not.toMatch(/hidden-/);
    expect(await differingIn(world, FLEET)).toHaveLength(5);
  });

  test('what cannot be made so ends 5 before anything is sent', async () => {
    const world = inWorld();
    const text = `${POD}cloud: COMMUNITY\n---\n${VOLUME}size: 4000`;
    const refused = await apply(world, text);
    expect([refused.code, refused.out]).toEqual([5, '']);
    expect(refused.err).toContain('pod train-llm: cloud cannot be changed after the creation');
    expect(await differingIn(world, text)).toHaveLength(2);
  });

  test('stops at the first refusal and names what was not done; the next apply does it', async () => {
    const world = inWorld();
    await run(world, ['local', 'fault', 'add', 'low-balance', '--match', 'POST /v2/templates']);
    expect(await outcomes(world, FLEET)).toMatchObject([
      { kind: 'pod', ok: false, error: { code: 'not-sent' } },
      { kind: 'endpoint', ok: false, error: { code: 'not-sent' } },
      { kind: 'template', ok: false, error: { code: 'refused' } },
      { kind: 'volume', ok: true },
      { kind: 'registry', ok: true },
    ]);
    await run(world, ['local', 'fault', 'clear']);
    await outcomes(world, FLEET);
    expect(await differingIn(world, FLEET)).toEqual([]);
  });

  test('where there is no room, says that what was made stays, and no flag that apply does not have', async () => {
    const world = inWorld();
    await run(world, ['local', 'stock', 'set', 'GPU-24G', 'none']);
    const ran = await apply(world, 'kind: pod\nname: lab\nimage: a/b:1\ngpu: {id: GPU-24G}');
    expect([ran.code, ran.err]).toEqual([5, expect.stringContaining('no longer') as string]);
    expect(ran.err).not.toContain('--until-available');
  });

  test('a plan that has nothing to do asks nothing', async () => {
    const world = inWorld();
    const ran = await apply(world, `${VOLUME}size: 2048`);
    expect([ran.code, ran.err]).toEqual([0, '1 unchanged.\n']);
    expect((await plan(world, `${VOLUME}size: 2048`)).code).toBe(0);
  });
});
