import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { remoteService } from '../../../support/servers/remote-service.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

const CREATE = 'pods create --name lab --image a/b:1';

test('a wait that is interrupted says its key, and that no pod was created', async () => {
  const world = createTestWorld({ env: { BERTH_LOCAL: '1' } });
  await berthIn(world, ['local', 'stock', 'set', 'GPU-80G', 'none']);
  const running = berthIn(world, [...CREATE.split(' '), '--gpu', 'GPU-80G', '--until-available', '9w']);
  while (!world.err().includes('Waiting for a GPU')) await new Promise(setImmediate);
  world.signal('SIGINT');
  const ran = await running;
  expect([ran.code, ran.out]).toEqual([130, '']);
  expect(ran.err.replace(/\s+/g, ' ')).toMatch(
    /No pod was created\. -> Run the same command again with --idempotency-key auto-\w+/,
  );
});

test.each([
  ['before the answer to its create', 'POST', /It may have happened\. Before trying again, find out: berth pods list/],
  ['while it looks for the pod that it made', 'GET', /Pod pod-\w+ was created, and costs money\./],
])('a create that is interrupted %s says what is known of the pod', async (_, method, says) => {
  let isCreated = false;
  let reach = (): void => undefined;
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const remote = await remoteService((seen) => {
    const isNow = seen.url.startsWith('/v2/pods') && seen.method === method && (method === 'POST' || isCreated);
    isCreated ||= seen.method === 'POST';
    if (!isNow) return undefined;
    reach();
    return { first: () => new Promise(() => undefined) };
  });
  const world = createTestWorld({ env: { ...remote.env, BERTH_DATA_DIR: temporaryDirectory() } });
  const running = berthIn(world, [...CREATE.split(' '), '--gpu', 'GPU-80G', '--until-available', '1h']);
  await reached;
  world.signal('SIGINT');
  const ran = await running;
  expect([ran.code, ran.err.replace(/\s+/g, ' ')]).toEqual([130, expect.stringMatching(says)]);
  expect(ran.err.replace(/\s+/g, ' ')).toMatch(/Run the same command again with --idempotency-key auto-\w+/);
});
