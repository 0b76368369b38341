/** What a plan and an apply say of storage whose price is not published, and of what cannot be undone. */
import { expect, test } from 'vitest';
import { inWorld, plan, rows, run } from '../../../support/worlds/plan-runs.ts';

const POD = `kind: pod
name: lab
gpu: { id: GPU-24G, count: 1 }
image: a/b
mounts: { persistent: { size: 50, path: /w } }
`;
const MOUNT = 'the persistent mount of pod lab (50 GB), also while the pod is stopped';

test('the persistent mount of a pod, which is paid while the pod is stopped too', async () => {
  const world = inWorld();
  const planned = await plan(world, POD);
  expect(planned.err).toContain('They cost $0.00 an hour before, and at least $0.69 an hour after.');
  expect(planned.err).toContain(`Paid too, at a price that is not published: ${MOUNT}.`);
  expect(await rows(world, POD)).toMatchObject([{ costBefore: 0, costAfter: 0.69, unpriced: MOUNT }]);
  const applied = await run(world, ['apply', 'fleet.yaml', '--yes']);
  expect([applied.code, applied.err]).toEqual([0, expect.stringContaining(MOUNT)]);
  await run(world, ['local', 'clock', 'advance', '1h']);
  expect((await run(world, ['pods', 'stop', 'lab', '--yes', '--wait'])).code).toBe(0);
  const stopped = await plan(world, POD);
  expect(stopped.err).toContain('They cost at least $0.00 an hour before, and at least $0.00 an hour after.');
  expect(stopped.err).toContain(MOUNT);
});

test('the persistent mount that a pod takes from its template', async () => {
  const world = inWorld();
  const create = ['templates', 'create', '--name', 't', '--image', 'a/b', '--set', 'mounts.persistent.size=50'];
  expect((await run(world, [...create, '--set', 'mounts.persistent.path=/w'])).code).toBe(0);
  const planned = await plan(world, 'kind: pod\nname: lab\ngpu: { id: GPU-24G, count: 1 }\ntemplateId: t\n');
  expect(planned.err).toContain(MOUNT);
});

test('the container disk of a new pod above the usual size, also that of its template', async () => {
  const world = inWorld();
  const pod = 'kind: pod\nname: lab\nimage: a/b\ngpu: { id: GPU-24G, count: 1 }\n';
  const planned = await plan(world, `${pod}disk: 500\n`);
  expect(planned.err).toContain('They cost $0.00 an hour before, and at least $0.69 an hour after.');
  expect(planned.err).toContain('Paid too, at a price that is not published: the container disk of pod lab (500 GB).');
  expect((await plan(world, `${pod}disk: 20\n`)).err).toContain('and $0.69 an hour after.');
  expect((await run(world, ['templates', 'create', '--name', 't', '--image', 'a/b', '--disk', '400'])).code).toBe(0);
  expect((await plan(world, pod.replace('image: a/b', 'templateId: t'))).err).toContain('pod lab (400 GB)');
});

test('a container disk that grows', async () => {
  const world = inWorld();
  const planned = await plan(world, 'kind: pod\nname: train-llm\ndisk: 60\n');
  expect(planned.err).toContain('the larger container disk of pod train-llm (50 GB to 60 GB)');
  expect((await plan(world, 'kind: pod\nname: train-llm\ndisk: 50\n')).err).not.toContain('container disk');
});

test('high-performance storage costs at least what standard storage costs', async () => {
  const world = inWorld();
  const text = 'kind: volume\nname: fast\nsize: 1000\ndataCenter: EU-NORTH-1\ntype: HIGH_PERFORMANCE\n';
  const planned = await plan(world, text);
  expect(planned.err).toContain('and at least $0.10 an hour after.');
  expect(planned.err).toContain('the high-performance storage of volume fast, beyond the price of standard storage');
});

test('a volume that grows never shrinks', async () => {
  const world = inWorld();
  const text = 'kind: volume\nname: checkpoints\nsize: 600\n';
  expect(await rows(world, text)).toMatchObject([{ changes: [{ path: 'size', effect: 'permanent' }] }]);
  expect((await plan(world, text)).out).toContain('size: 500 -> 600 (cannot be undone)');
});
