import { createRealClock } from '../clocks/real-clock.ts';
import type { Cluster } from '../postgres/cluster.mjs';
import { speedUpClock } from '../postgres/fast-clock.ts';
import { berthIn, type Ran } from '../worlds/run-berth.ts';
import type { TestWorld, TestWorldOptions } from '../worlds/test-world.ts';
import { createBatchWorld, type BatchWorld } from './command-fixture.ts';

const SPEED = 10;

/** A world whose variable names an empty database of a cluster, and that database. */
export interface StoreWorld {
  readonly world: BatchWorld;
  readonly url: string;
  readonly database: string;
}

export async function createStoreWorld(cluster: Cluster, options: TestWorldOptions = {}): Promise<StoreWorld> {
  const database = await cluster.createDatabase();
  if (options.clock === undefined) await speedUpClock(cluster, database, SPEED);
  // Leases end by the clock of the database; the service and the driver may be faster.
  const world = await createBatchWorld({ clock: createRealClock(SPEED), ...options });
  const url = cluster.url(database);
  return { world: { ...world, env: { ...world.env, BERTH_STORE: url } }, url, database };
}

/** Runs `berth jobs batch ... --json`. */
export const batchIn = (world: TestWorld, ...words: readonly string[]): Promise<Ran> =>
  berthIn({ ...world }, ['jobs', 'batch', ...words, '--json']);
