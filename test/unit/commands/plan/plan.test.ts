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
  const TEMPLATE = 'kind: template\nid: tpl-train\nname: team training\n';
  const VOLUME = 'kind: volume\nname: datasets\n';
  test.each([
    ['pod disk', `${POD}disk: 999`, 'update', 'disk', 'restarts'],
    ['pod variable', `${POD}env: {NEW: '1'}`, 'update', 'env.NEW', 'restarts'],
    ['pod lock', `${POD}locked: true`, 'update', 'locked', 'in-place'],
    ['pod GPU', `${POD}gpu: {id: GPU-24G}`, 'blocked', 'gpu.id', 'fixed'],
    ['pod data center', `${POD}dataCenterIds: [NOWHERE]`, 'blocked', 'dataCenterIds', 'fixed'],
    ['endpoint image', `${ENDPOINT}image: other:1`, 'update', 'image', 'release'],
    ['endpoint workers', `${ENDPOINT}workers: {max: 77}`, 'update', 'workers.max', 'in-place'],
    ['endpoint type', `${ENDPOINT}type: LOAD_BALANCER`, 'blocked', 'type', 'fixed'],
    ['template image', `${TEMPLATE}image: other:1`, 'update', 'image', 'in-place'],
    ['volume size', `${VOLUME}size: 4000`, 'update', 'size', 'permanent'],
    ['volume that shrinks', `${VOLUME}size: 10`, 'blocked', 'size', 'permanent'],
  ])('names the one member that differs: %s', async (_, text, action, member, effect) => {
    const [row] = await rows(inWorld(), text);
    expect([row?.action, row?.changes.map((change) => [change.path, change.effect])]).toEqual([
      action,
      [[member, effect]],
    ]);
  });

  test('the order of ports, the form of a number, the spelling of a command and null for what is not there are no difference', async () => {
    const world = inWorld();
    await run(world, [
      ...['pods', 'create', '--name', 'a', '--gpu', 'GPU-24G', '--image', 'i', '--disk', '20'],
      ...['--port', '80/http', '--port', '22/tcp', '--', 'run', 'a b'],
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
