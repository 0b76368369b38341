import { expect } from 'vitest';
import { berthIn } from '../worlds/run-berth.ts';
import { items, OUT, read, RUN, write } from './command-fixture.ts';
import { createTinyQueueWorld, type TinyQueueWorld } from './tiny-queue-server.ts';

export interface ResultLine {
  readonly item: number;
  readonly output: { readonly n: number; readonly pad: string };
}

/** The lines of the results file. */
export const resultsOf = (world: TinyQueueWorld): readonly ResultLine[] =>
  read(world, OUT)
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as ResultLine);

/** A batch of 20 that was interrupted: some have ended. */
export async function createStoppedBatch(): Promise<TinyQueueWorld> {
  const world = await createTinyQueueWorld();
  write(world, 'in.jsonl', items(20));
  world.before = (operation, nth) => {
    if (operation === 'status' && nth === 8) world.signal('SIGINT');
  };
  await berthIn(world, [...RUN, '--in-flight', '4']);
  world.before = () => undefined;
  expect(resultsOf(world).length).toBeGreaterThan(3);
  return world;
}
