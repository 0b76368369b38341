import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import {
  secondProcess,
  items,
  waitForJobs,
  OUT,
  createBatchWorld,
  read,
  RESUME,
  RUN,
  summary,
  write,
} from '../../../../support/batch/command-fixture.ts';

const STATUS = ['jobs', 'batch', 'status', OUT];

test('the summary has numbers for programs and words for people', async () => {
  const world = await createBatchWorld();
  write(world, 'in.jsonl', items(120));
  const running = berthIn(world, [...RUN, '--json']);
  await waitForJobs(world, 5);
  const during = await berthIn(secondProcess(world), [...STATUS, '--json']);
  expect(summary(during)).toMatchObject({ state: 'running', pid: process.pid });
  const told = await berthIn(secondProcess(world), STATUS);
  expect(told.out).toContain(`state\tprocess ${String(process.pid)} on ${hostname()} is at work on it`);
  world.signal('SIGINT');
  await running;
  const stopped = await berthIn(secondProcess(world), [...STATUS, '--json']);
  expect(summary(stopped)['state']).toBe('stopped');
  expect(summary(stopped)).not.toHaveProperty('pid');
  const began = world.clock.now();
  const rest = await berthIn(secondProcess(world), [...RESUME, '--json']);
  const { tookSeconds } = summary(rest) as { tookSeconds: number };
  expect(tookSeconds).toBeGreaterThan(0);
  // Whole milliseconds: a second is 1,000 of them, and 4.022 seconds times 1,000 is a little more than 4,022.
  expect(Math.round(tookSeconds * 1000)).toBeLessThanOrEqual(world.clock.now() - began);
  expect(read(world, OUT).split('\n')).toHaveLength(121);
  expect((await berthIn(secondProcess(world), RESUME)).out).toMatch(/^took\t\S+/m);
});
