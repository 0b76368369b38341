import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { replay } from '../../../src/batch/store/journal/replay.ts';
import { openDurable } from '../../../src/host/files/durable-files.ts';
import { LOCAL_KEY } from '../../../src/local/frame/auth.ts';
import { serveLocal } from '../../../src/local/frame/server.ts';
import { createLocalService } from '../../../src/local/service.ts';
import { memoryStore, type Store } from '../../../src/local/state/store.ts';
import { createValidator } from '../../../src/local/frame/validate.ts';
import { journalMismatches, countSubmissions, type SubmissionCounts } from './check-journal.ts';
import { createAutoAdvancingClock } from '../clocks/auto-advancing-clock.ts';
import { berthIn, type Ran } from '../worlds/run-berth.ts';
import { createTestWorld, type TestWorld, type TestWorldOptions } from '../worlds/test-world.ts';
import { realLocks } from '../files/real-locks.ts';

const validator = createValidator();

/** A world whose addresses are a local service's, both on one fast clock, and what that service keeps. */
export interface BatchWorld extends TestWorld {
  readonly store: Store;
}

export async function createBatchWorld(options: TestWorldOptions = {}): Promise<BatchWorld> {
  const clock = createAutoAdvancingClock();
  const store = memoryStore();
  let seed = 1;
  const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const service = createLocalService({ clock, random, store, validator, queueLimits: true });
  const served = await serveLocal(service, { port: 0, host: '127.0.0.1' });
  onTestFinished(async () => {
    await served.stop();
    await service.stop();
  });
  const env = { BERTH_BASE_URL: served.url, BERTH_QUEUE_URL: served.url, BERTH_API_KEY: LOCAL_KEY };
  return { ...createTestWorld({ ...options, clock, env }), store };
}

export const write = (world: TestWorld, name: string, content: string): void => {
  writeFileSync(join(world.directory, name), content);
};
export const read = (world: TestWorld, name: string): string => readFileSync(join(world.directory, name), 'utf8');
export const items = (count: number, more = ''): string =>
  Array.from({ length: count }, (_, at) => `{"n":${String(at + 1)}${more}}\n`).join('');

export const OUT = 'out.jsonl';
export const RUN = ['jobs', 'batch', 'run', 'echo', '--input', 'in.jsonl', '--out', OUT];
export const RESUME = ['jobs', 'batch', 'resume', OUT];

export const summary = ({ out }: Ran): Record<string, unknown> => JSON.parse(out) as Record<string, unknown>;

/** Until the journal knows of so many jobs. */
export async function jobsTaken(world: TestWorld, count: number): Promise<void> {
  const journal = join(world.directory, `${OUT}.journal`);
  while (!existsSync(journal) || readFileSync(journal, 'utf8').split('["s",').length <= count)
    await new Promise(setImmediate);
}

/** Another process in the same place. */
export const besides = (world: TestWorld, options: TestWorldOptions = {}): TestWorld => ({
  ...createTestWorld({ ...options, clock: world.clock }),
  env: world.env,
  cwd: world.cwd,
  directory: world.directory,
});

/** `berth local ...`, the way a user sets a fault or moves the clock. */
export async function local(world: TestWorld, ...argv: readonly string[]): Promise<void> {
  const { code, err } = await berthIn(besides(world), ['local', ...argv]);
  if (code !== 0) throw new Error(err);
}

/** What the journal tells and the service knows better; by default, of what the service still holds. */
export async function findMismatches(
  { directory, stdin, store }: BatchWorld,
  count: number,
  more: { readonly taken?: SubmissionCounts; readonly twice?: ReadonlySet<number> } = {},
): Promise<readonly string[]> {
  const { ledger } = await replay(
    openDurable({ stdin, cwd: directory }, new AbortController().signal, realLocks()),
    OUT,
  );
  return journalMismatches(ledger, more.taken ?? (await countSubmissions(store)), count, more.twice);
}
