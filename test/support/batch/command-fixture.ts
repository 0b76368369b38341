import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { replayJournal } from '../../../src/batch/store/replay.ts';
import { openDurable } from '../../../src/host/files/durable-files.ts';
import { LOCAL_KEY } from '../../../src/local/http/admission.ts';
import { serveLocal } from '../../../src/local/http/server.ts';
import { createLocalService } from '../../../src/local/service.ts';
import { memoryStore, type Store } from '../../../src/local/state/store.ts';
import { journalMismatches, countSubmissions, type SubmissionCounts } from './check-journal.ts';
import { createAutoAdvancingClock } from '../clocks/auto-advancing-clock.ts';
import { berthIn, type Ran } from '../worlds/run-berth.ts';
import { createTestWorld, type TestWorld, type TestWorldOptions } from '../worlds/test-world.ts';
import { realLocks } from '../files/real-locks.ts';

/** A test world that is configured for a local service on the same clock, and the store of that service. */
export interface BatchWorld extends TestWorld {
  readonly store: Store;
}

export async function createBatchWorld(options: TestWorldOptions = {}): Promise<BatchWorld> {
  const clock = options.clock ?? createAutoAdvancingClock();
  const store = memoryStore();
  let seed = 1;
  const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const service = createLocalService({ clock, random, store, queueLimits: true });
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

/** Runs `berth jobs batch ... --json`. */
export const batchIn = (world: TestWorld, ...words: readonly string[]): Promise<Ran> =>
  berthIn({ ...world }, ['jobs', 'batch', ...words, '--json']);

/** Resolves when the journal has records of more than `count` accepted jobs. */
export async function waitForJobs(world: TestWorld, count: number): Promise<void> {
  const journal = join(world.directory, `${OUT}.journal`);
  while (!existsSync(journal) || readFileSync(journal, 'utf8').split('["s",').length <= count)
    await new Promise(setImmediate);
}

/** A second process with the same directory, environment and clock. */
export const secondProcess = (world: TestWorld, options: TestWorldOptions = {}): TestWorld => ({
  ...createTestWorld({ ...options, clock: world.clock }),
  env: world.env,
  cwd: world.cwd,
  directory: world.directory,
});

/** Runs `berth local ...`, as a user does to add a fault or to move the clock. */
export async function local(world: TestWorld, ...argv: readonly string[]): Promise<void> {
  const { code, err } = await berthIn(secondProcess(world), ['local', ...argv]);
  if (code !== 0) throw new Error(err);
}

/**
 * Returns the contradictions between the journal and the submissions that the service accepted; by default those of the jobs
 * that the service still has.
 */
export async function findMismatches(
  { directory, stdin, store }: BatchWorld,
  count: number,
  more: { readonly taken?: SubmissionCounts; readonly twice?: ReadonlySet<number> } = {},
): Promise<readonly string[]> {
  const { states } = await replayJournal(
    openDurable({ stdin, cwd: directory }, new AbortController().signal, realLocks()),
    OUT,
  );
  return journalMismatches(states, more.taken ?? (await countSubmissions(store)), count, more.twice);
}
