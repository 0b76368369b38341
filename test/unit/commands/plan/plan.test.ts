import { writeFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { objectionsTo } from '../../../support/schemas/published-schemas.ts';
import { berthIn, type Ran } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../../../support/worlds/test-world.ts';

interface Change {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly effect: string;
}
interface Row {
  readonly action: string;
  readonly kind: string;
  readonly name: string;
  readonly id?: string;
  readonly why?: string;
  readonly changes: readonly Change[];
  readonly notCompared: readonly string[];
  readonly costBefore: number | null;
  readonly costAfter: number | null;
}

const inWorld = (): TestWorld => createTestWorld({ env: { BERTH_LOCAL: '1' } });

async function plan(world: TestWorld, text: string, flags: readonly string[] = []): Promise<Ran> {
  writeFileSync(path.join(world.directory, 'fleet.yaml'), text);
  return await run(world, ['plan', 'fleet.yaml', ...flags]);
}

/** A run in a world of its own output, on the account of another world. */
const run = async (world: TestWorld, argv: readonly string[]): Promise<Ran> =>
  await berthIn(
    createTestWorld({
      env: { BERTH_LOCAL: '1', BERTH_DATA_DIR: path.join(world.directory, 'data') },
      cwd: world.directory,
      clock: world.clock,
    }),
    argv,
  );

async function rows(world: TestWorld, text: string, flags: readonly string[] = []): Promise<readonly Row[]> {
  const ran = await plan(world, text, [...flags, '--json']);
  expect([0, 16], ran.err).toContain(ran.code);
  const value = JSON.parse(ran.out) as readonly Row[];
  expect(objectionsTo('plan', value)).toBeUndefined();
  expect(ran.code).toBe(value.some(({ action }) => action !== 'none') ? 16 : 0);
  return value;
}

const printed = async (world: TestWorld, kind: string, noun: string, id: string): Promise<string> =>
  `kind: ${kind}\n${(await run(world, [noun, 'get', id, '-o', 'yaml'])).out}`;

const THINGS = [
  ['pod', 'pods', 'pod-train'],
  ['pod', 'pods', 'pod-stopped-cpu'],
  ['pod', 'pods', 'pod-web'],
  ['pod', 'pods', 'pod-notebook'],
  ['endpoint', 'endpoints', 'echo'],
  ['endpoint', 'endpoints', 'demo'],
  ['template', 'templates', 'tpl-train'],
  ['template', 'templates', 'tpl-worker'],
  ['volume', 'volumes', 'vol-datasets'],
  ['registry', 'registries', 'reg-team'],
] as const;

describe('what is there and what a file says', () => {
  test.each(THINGS)('a %s that %s get -o yaml printed has no difference: %s', async (kind, noun, id) => {
    const world = inWorld();
    const found = await rows(world, await printed(world, kind, noun, id));
    expect(found.map(({ action, changes }) => ({ action, changes }))).toEqual([{ action: 'none', changes: [] }]);
  });

  const POD = 'kind: pod\nname: train-llm\n';
  const ENDPOINT = 'kind: endpoint\nname: echo\n';
  const TEMPLATE = 'kind: template\nid: tpl-train\nname: train\n';
  const VOLUME = 'kind: volume\nname: datasets\n';
  test.each([
    ['pod image', `${POD}image: other:1`, 'update', 'image', 'restarts'],
    ['pod disk', `${POD}disk: 999`, 'update', 'disk', 'restarts'],
    ['pod variable', `${POD}env: {NEW: '1'}`, 'update', 'env.NEW', 'restarts'],
    ['pod ports', `${POD}ports: [1234/tcp]`, 'update', 'ports', 'restarts'],
    ['pod command', `${POD}cmd: [other]`, 'update', 'cmd', 'restarts'],
    ['pod lock', `${POD}locked: true`, 'update', 'locked', 'in-place'],
    ['pod GPU', `${POD}gpu: {id: GPU-24G}`, 'blocked', 'gpu.id', 'fixed'],
    ['pod cloud', `${POD}cloud: COMMUNITY`, 'blocked', 'cloud', 'fixed'],
    ['pod data center', `${POD}dataCenterIds: [NOWHERE]`, 'blocked', 'dataCenterIds', 'fixed'],
    ['endpoint image', `${ENDPOINT}image: other:1`, 'update', 'image', 'release'],
    ['endpoint workers', `${ENDPOINT}workers: {max: 77}`, 'update', 'workers.max', 'in-place'],
    ['endpoint timeout', `${ENDPOINT}timeout: 77000`, 'update', 'timeout', 'in-place'],
    ['endpoint flashboot', `${ENDPOINT}flashboot: FLASHBOOT`, 'update', 'flashboot', 'in-place'],
    ['endpoint type', `${ENDPOINT}type: LOAD_BALANCER`, 'blocked', 'type', 'fixed'],
    ['template image', `${TEMPLATE.replace('name: train', 'name: NAME')}image: other:1`, 'update', 'image', 'in-place'],
    ['volume size', `${VOLUME}size: 4000`, 'update', 'size', 'in-place'],
    ['volume that shrinks', `${VOLUME}size: 10`, 'blocked', 'size', 'in-place'],
    ['volume data center', `${VOLUME}dataCenter: NOWHERE`, 'blocked', 'dataCenter', 'fixed'],
    ['volume tier', `${VOLUME}type: STANDARD`, 'blocked', 'type', 'fixed'],
  ])('names the one member that differs: %s', async (_, text, action, member, effect) => {
    const world = inWorld();
    const template = JSON.parse((await run(world, ['templates', 'get', 'tpl-train', '--json'])).out) as {
      name: string;
    };
    const [row] = await rows(world, text.replace('NAME', template.name));
    expect([row?.action, row?.changes.map((change) => [change.path, change.effect])]).toEqual([
      action,
      [[member, effect]],
    ]);
  });

  test('the order of ports, the form of a number, the spelling of a command and null for what is not there are no difference', async () => {
    const world = inWorld();
    await run(world, [
      'pods',
      'create',
      '--name',
      'a',
      '--gpu',
      'GPU-24G',
      '--image',
      'i',
      '--disk',
      '20',
      '--port',
      '80/http',
      '--port',
      '22/tcp',
      '--',
      'run',
      'a b',
    ]);
    const text = `kind: pod\nname: a\nports: [22/tcp, 80/http]\ndisk: 2.0e1\nargs: run 'a b'\nregistry: null\nenv: {NONE: null}\n`;
    expect((await rows(world, text)).map(({ changes }) => changes)).toEqual([[]]);
  });

  test('what is sent on a create only is named as not compared', async () => {
    const [row] = await rows(inWorld(), `${POD}startSsh: true\ntemplateId: tpl-train`);
    expect([row?.action, row?.notCompared]).toEqual(['none', ['templateId', 'startSsh']]);
  });
});

describe('what is not there yet', () => {
  test('is created, with its cost, and names of the same files are its references', async () => {
    const world = inWorld();
    const text = `kind: pod
name: new
image: i
gpu: {id: GPU-24G, count: 2}
volume: fresh:/data
---
kind: volume
name: fresh
size: 1024
dataCenter: EU-NORTH-1
---
# nothing
---
kind: endpoint
name: api
template: worker
volume: datasets
gpu: {pools: [POOL-24G]}
workers: {min: 1, max: 2}
`;
    const found = await rows(world, text.replace('template: worker', 'template: tpl-worker'));
    expect(found.map(({ action, kind, name }) => `${action} ${kind} ${name}`)).toEqual([
      'create pod new',
      'create volume fresh',
      'create endpoint api',
    ]);
    const [pod, volume, endpoint] = found;
    expect(pod?.changes.find((change) => change.path === 'mounts')?.after).toEqual({
      network: [{ volumeId: 'fresh', path: '/data' }],
    });
    expect(endpoint?.changes.find((change) => change.path === 'networkVolumes')?.after).toEqual(['vol-datasets']);
    expect(found.map(({ costBefore }) => costBefore)).toEqual([0, 0, 0]);
    expect(pod?.costAfter).toBeGreaterThan(0);
    expect(volume?.costAfter).toBeCloseTo((1024 * 0.07) / 730, 9);
    expect(endpoint?.costAfter).toBeGreaterThan(0);
  });

  test('a table ends with how many there are and what they cost, and the code is 16', async () => {
    const ran = await plan(inWorld(), 'kind: volume\nname: fresh\nsize: 100\ndataCenter: EU-NORTH-1\n');
    expect([ran.code, ran.err]).toEqual([
      16,
      expect.stringContaining('1 to create. They cost $0.00 an hour now') as string,
    ]);
    expect(ran.out).toContain('fresh');
  });
});

describe('a file that is wrong ends 2 and says where', () => {
  test.each([
    ['an unknown kind', 'kind: pdo\nname: a', 'fleet.yaml:1:1', 'pod'],
    ['no kind', 'name: a', 'fleet.yaml:1:1', 'Kinds'],
    ['no name', 'kind: pod', 'fleet.yaml:1:1', 'needs a name'],
    ['an unknown member', 'kind: pod\nname: a\nimag: x', 'fleet.yaml:3:1', 'image'],
    ['an unknown inner member', 'kind: pod\nname: a\ngpu:\n  cuont: 2', 'fleet.yaml:4:3', 'count'],
    ['a text for a number', 'kind: volume\nname: a\nsize: "100"', 'fleet.yaml:3:1', 'is a number'],
    ['a number for a variable', 'kind: pod\nname: a\nenv:\n  A: 1', 'fleet.yaml:4:3', 'quotes'],
    ['an unknown word', 'kind: pod\nname: a\ncloud: SECUR', 'fleet.yaml:3:1', 'SECURE'],
    ['a bound', 'kind: volume\nname: a\nsize: 5', 'fleet.yaml:1:1', 'at least 10'],
    ['a missing member', 'kind: volume\nname: a', 'fleet.yaml:1:1', 'size, and dataCenter'],
    ['an unknown volume', 'kind: pod\nname: a\nimage: i\ngpu: {id: G}\nvolume: datasetz', 'fleet.yaml', 'datasets'],
    ['an unknown id', 'kind: pod\nid: none\nname: a', 'fleet.yaml:2:1', 'none'],
    [
      'two of one name',
      'kind: pod\nname: train-llm\n---\nkind: pod\nname: train-llm',
      'fleet.yaml:5:1',
      'already: fleet.yaml:2:1',
    ],
    [
      'one by its name and by its id',
      'kind: volume\nname: datasets\n---\nkind: volume\nid: vol-datasets\nname: datasets',
      'fleet.yaml:6:1',
      'too',
    ],
    ['no YAML in the second document', 'kind: volume\nname: a\n---\n{', 'line', 'fleet.yaml'],
    ['a list', '- a', 'fleet.yaml:1:1', 'object'],
  ])('%s', async (_, text, where, says) => {
    const ran = await plan(inWorld(), text);
    expect([ran.code, ran.out]).toEqual([2, '']);
    expect(ran.err).toContain(where);
    expect(ran.err).toContain(says);
  });

  test('a missing file is not an empty one', async () => {
    const world = inWorld();
    expect((await run(world, ['plan', 'none.yaml'])).code).toBe(14);
    const empty = await plan(world, '# later\n');
    expect([empty.code, empty.err]).toEqual([0, expect.stringContaining('hold no document') as string]);
  });
});

describe('identity', () => {
  test('two of one name are named with their ids, and an id says which one', async () => {
    const world = inWorld();
    for (const size of ['10', '20'])
      await run(world, ['volumes', 'create', '--name', 'twin', '--size', size, '--data-center', 'EU-NORTH-1']);
    const ids = (await run(world, ['volumes', 'list', '--match', 'twin', '-o', 'id'])).out.trim().split('\n');
    const ran = await plan(world, 'kind: volume\nname: twin\n');
    expect([ran.code, ids.length]).toEqual([2, 2]);
    for (const id of ids) expect(ran.err).toContain(id);
    expect((await rows(world, `kind: volume\nname: twin\nid: ${ids[0] ?? ''}`)).map(({ id }) => id)).toEqual([ids[0]]);
  });
});

describe('folders and variables', () => {
  test('a folder is read with its folders, in the order of names', async () => {
    const world = inWorld();
    mkdirSync(path.join(world.directory, 'fleet', 'b'), { recursive: true });
    const volume = (name: string): string => `kind: volume\nname: ${name}\nsize: 10\ndataCenter: EU-NORTH-1\n`;
    writeFileSync(path.join(world.directory, 'fleet', 'c.yml'), volume('third'));
    writeFileSync(path.join(world.directory, 'fleet', 'b', 'x.yaml'), volume('second'));
    writeFileSync(path.join(world.directory, 'fleet', 'a.json'), '{"kind":"volume","name":"datasets"}');
    writeFileSync(path.join(world.directory, 'fleet', 'notes.txt'), 'kind: none');
    const ran = await run(world, ['plan', 'fleet/', '--json']);
    expect((JSON.parse(ran.out) as readonly Row[]).map(({ name }) => name)).toEqual(['datasets', 'second', 'third']);
  });

  test('variables are replaced only with --env-from, and are never printed', async () => {
    const world = inWorld();
    const text = `kind: pod\nname: train-llm\nenv: {TOKEN: '\${TOKEN}', PLAIN: '$\${TOKEN}'}\n`;
    const [plainRow] = await rows(world, text);
    expect(plainRow?.changes.map(({ after }) => after)).toEqual(['${TOKEN}', '$${TOKEN}']);
    writeFileSync(path.join(world.directory, 'vars'), 'TOKEN=very-secret\n');
    for (const flags of [['--json'], ['-o', 'wide'], ['-o', 'yaml']]) {
      const ran = await plan(world, text, ['--env-from', 'vars', ...flags]);
      expect(ran.out + ran.err).not.toContain('very-secret');
      expect(ran.out).toContain('(hidden)');
    }
    const [row] = await rows(world, text, ['--env-from', 'vars']);
    expect(row?.changes.map(({ after }) => after)).toEqual(['(hidden)', '${TOKEN}']);
    const unknown = await plan(world, text.replace('${TOKEN}', '${OTHER}'), ['--env-from', 'vars']);
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('fleet.yaml:3:') as string]);
  });
});
