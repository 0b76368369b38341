import { describe, expect, test } from 'vitest';
import { inWorld, plan, rows, run } from '../../../support/worlds/plan-runs.ts';
import type { TestWorld } from '../../../support/worlds/test-world.ts';

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
    ['volume size', `${VOLUME}size: 4000`, 'update', 'size', 'permanent'],
    ['volume that shrinks', `${VOLUME}size: 10`, 'blocked', 'size', 'permanent'],
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

  test('what is sent on a create only is not compared', async () => {
    const [row] = await rows(inWorld(), `${POD}startSsh: true\ntemplateId: tpl-train`);
    expect(row?.action).toBe('none');
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
      expect.stringContaining('1 to create. Cost: $0.00/h -> $0.01/h') as string,
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
    ['a text for a number', 'kind: volume\nname: a\nsize: "100"', 'fleet.yaml:3:1', 'must be a number'],
    ['a number for a variable', 'kind: pod\nname: a\nenv:\n  A: 1', 'fleet.yaml:4:3', 'quotes'],
    ['an unknown word', 'kind: pod\nname: a\ncloud: SECUR', 'fleet.yaml:3:1', 'SECURE'],
    ['a bound', 'kind: volume\nname: a\nsize: 5', 'fleet.yaml:1:1', 'use 10 to 4096 GB'],
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
      'already: fleet.yaml:2:1',
    ],
    ['no YAML in the second document', 'kind: volume\nname: a\n---\n{', 'line', 'fleet.yaml'],
    ['a list', '- a', 'fleet.yaml:1:1', 'object'],
    [
      'a text for an object',
      'kind: pod\nname: train-llm\ngpu: GPU-80G',
      'fleet.yaml:3:1',
      'gpu of a pod must be an object',
    ],
    [
      'a number for an object',
      'kind: endpoint\nname: echo\nworkers: 2',
      'fleet.yaml:3:1',
      'workers of an endpoint must be an object',
    ],
    [
      'a text for mounts',
      'kind: pod\nname: train-llm\nmounts: datasets',
      'fleet.yaml:3:1',
      'mounts of a pod must be an object',
    ],
    [
      'a number for a name',
      'kind: pod\nname: train-llm\nvolume: 7',
      'fleet.yaml:3:1',
      'volume of a pod must be a text',
    ],
    [
      'a number for a template',
      'kind: pod\nname: train-llm\ntemplate: 7',
      'fleet.yaml:3:1',
      'template of a pod must be a text',
    ],
    [
      'a number in a list',
      'kind: pod\nname: train-llm\nports:\n  - 8080',
      'fleet.yaml:4:5',
      'ports of a pod must be a text',
    ],
    ['true in a command', 'kind: pod\nname: train-llm\ncmd: [run, true]', 'fleet.yaml:3:12', 'quotes'],
    ['a name that is a number', 'kind: volume\nname: 1e3', 'fleet.yaml:2:1', 'a text'],
    ['a name that is null', 'kind: volume\nname: ~', 'fleet.yaml:2:1', 'a text'],
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
