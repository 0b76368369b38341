/** A member that there is not, in an object or in an item of a list: it is named at its line, with the one that was meant. */
import { expect, test } from 'vitest';
import { inWorld, plan } from '../../../support/worlds/plan-runs.ts';

const POD = 'kind: pod\nname: z\nimage: a/b:1\ngpu: {id: GPU-24G, count: 1}\n';
const ENDPOINT = 'kind: endpoint\nname: e\nimage: a/b:1\n';

test.each([
  [
    `${POD}mounts: {network: [{volume: scratch, path: /w}]}\n`,
    '5:21: a pod has no member mounts.network.volume',
    'volumeId',
  ],
  [
    `${POD}mounts:\n  network:\n    - volumeId: scratch\n      pth: /w\n`,
    '8:7: a pod has no member mounts.network.pth',
    'path',
  ],
  [`${POD}mounts: {persistent: {sise: 20, path: /w}}\n`, '5:23: a pod has no member mounts.persistent.sise', 'size'],
  [`${ENDPOINT}gpu: {pools: [POOL-24G]}\nworkers: {mim: 1}\n`, '5:11: an endpoint has no member workers.mim', 'min'],
  [
    `${ENDPOINT}cpu:\n  - {id: cpu-general, vcpuCount: 2}\n  - {id: cpu-general, vcpuCont: 4}\n`,
    '6:23: an endpoint has no member cpu.vcpuCont',
    'vcpuCount',
  ],
])('%s', async (text, where, meant) => {
  const { code, err } = await plan(inWorld(), text);
  expect(code).toBe(2);
  expect(err.replaceAll(/\s+/g, ' ')).toContain(`fleet.yaml:${where} -> Did you mean ${meant}?`);
});

test('a member that is near none is left to the service', async () => {
  const text = `${POD}mounts: {network: [{volumeId: vol-scratch, path: /w, zone: a}]}\n`;
  const { code, err } = await plan(inWorld(), text);
  expect(code, err).toBe(16);
});
