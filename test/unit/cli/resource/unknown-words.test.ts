import { expect, test } from 'vitest';
import { berth } from '../../../support/worlds/run-berth.ts';
import { json, pointedAt, problem, routed, serve } from '../../../support/servers/scripted-server.ts';

const POD = ['pods', 'create', '--name', 'x', '--image', 'i'];
const ENDPOINT = ['endpoints', 'create', '--name', 'x', '--image', 'i'];
const CLUSTER = ['clusters', 'create', '--name', 'x', '--type', 'TRAINING', '--gpu-count', '8', '--pods', '2'];

const CASES: readonly (readonly [argv: readonly string[], hint: string])[] = [
  [[...POD, '--gpu', 'GPU-25G'], 'There is no GPU type GPU-25G. Did you mean GPU-24G? See berth --local catalog gpus'],
  [
    [...POD, '--gpu', 'GPU-24G', '--data-center', 'EU-NROTH-1'],
    'There is no data center EU-NROTH-1. Did you mean EU-NORTH-1? See berth --local catalog datacenters',
  ],
  [
    [...POD, '--cpu', 'cpu-genral', '--vcpu', '2'],
    'There is no CPU flavor cpu-genral. Did you mean cpu-general? See berth --local catalog cpus',
  ],
  [
    [...ENDPOINT, '--gpu-pool', 'POOL-25G'],
    'There is no pool POOL-25G. Did you mean POOL-24G? See berth --local catalog gpus',
  ],
  [[...ENDPOINT, '--cpu', 'cpu-genral:2'], 'There is no CPU flavor cpu-genral. Did you mean cpu-general?'],
  [['endpoints', 'update', 'demo', '--data-center', 'Mars'], 'There is no data center Mars. There are '],
  [[...CLUSTER, '--gpu', 'GPU-81G'], 'There is no GPU type GPU-81G. Did you mean GPU-80G?'],
];

test.each(CASES)('%j names what there is', async (argv, hint) => {
  const { code, out, err } = await berth(['--local', ...argv]);
  expect([code, out]).toEqual([5, '']);
  expect(err).toContain(`  -> ${hint}`);
});

test.each(CASES)('%j: a dry run ends with the same exit code and the same words', async (argv, hint) => {
  const { code, out, err } = await berth(['--local', ...argv, '--dry-run']);
  expect([code, out]).toEqual([5, '']);
  expect(err).toContain('error: the service would refuse this request');
  expect(err).toContain(`  -> ${hint}`);
});

test.each([
  ['a list that cannot be read', problem(403, 'not with this key')],
  ['an empty list', json({ gpus: [] })],
])('a dry run prints the request where %s says nothing about its words', async (_, answer) => {
  const server = await serve([answer]);
  const ran = await berth([...POD, '--gpu', 'GPU-25G', '--dry-run'], { env: pointedAt(server.url) });
  expect([ran.code, JSON.parse(ran.out)]).toEqual([0, expect.objectContaining({ method: 'POST' })]);
});

test('a refusal for another reason gets no such hint, and costs one list', async () => {
  const gpus = json({ gpus: [{ id: 'GPU-24G' }] });
  const server = await serve([routed({ 'POST /v2/pods': problem(400, 'no capacity'), 'GET /v2/catalog/gpus': gpus })]);
  const ran = await berth([...POD, '--gpu', 'GPU-24G'], { env: pointedAt(server.url) });
  expect([ran.code, ran.err]).toEqual([5, expect.stringContaining('no capacity')]);
  expect(ran.err).not.toContain('There is no');
});

test('a list that cannot be read adds nothing to the refusal', async () => {
  const server = await serve([routed({ 'POST /v2/pods': problem(400, 'unknown GPU type') })]);
  const ran = await berth([...POD, '--gpu', 'GPU-25G'], { env: pointedAt(server.url) });
  expect([ran.code, ran.err]).toEqual([5, expect.stringContaining('unknown GPU type')]);
  expect(ran.err).not.toContain('There is no GPU type');
});
