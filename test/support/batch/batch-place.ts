import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createAutoAdvancingClock } from '../clocks/auto-advancing-clock.ts';
import { createRealClock } from '../clocks/real-clock.ts';
import { HOLDERS, writeForgedLock } from '../files/forged-lock.ts';
import type { Cluster } from '../postgres/cluster.mjs';
import { speedUpClock } from '../postgres/fast-clock.ts';
import { restoreTables, saveTables, tablesIn } from '../postgres/saved-tables.ts';
import { berthIn, type Ran } from '../worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../worlds/test-world.ts';
import { items, secondProcess, summary, write } from './command-fixture.ts';
import { createCountingService, type CountingService } from './counting-service.ts';
import { batchIn } from './store-world.ts';

export const COUNT = 5;
export const NAMES = ['one', 'two'] as const;
export type BatchName = (typeof NAMES)[number];

/** A place of results, and how a user aims two batches at it. */
export interface Place {
  readonly world: TestWorld;
  readonly service: CountingService;
  /** True where each batch has a name of its own: the other one's cannot be reached by it. */
  readonly named: boolean;
  /** The options that say where a new batch is, and the word that names it afterwards. */
  readonly at: (name: BatchName) => readonly string[];
  readonly batch: (name: BatchName) => string;
  readonly env: (name: BatchName) => Readonly<Record<string, string>>;
  /** All that is there: no command that is refused may change it. */
  readonly contents: () => Promise<unknown>;
  /** Keeps what a process of this batch would leave if it were killed now. */
  readonly save: (name: BatchName) => Promise<void>;
  /** Brings that back. */
  readonly restore: (name: BatchName) => Promise<void>;
}

export const worldOf = ({ world, env }: Place, name: BatchName): TestWorld => ({
  ...secondProcess(world),
  env: { ...world.env, ...env(name) },
});

/** Runs `berth jobs batch ... --json` in a process of its own. */
export const commandIn = (place: Place, name: BatchName, ...words: readonly string[]): Promise<Ran> =>
  batchIn(worldOf(place, name), ...words);

/** The files below a folder, with their contents. */
export const filesIn = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => statSync(join(folder, name)).isFile())
        .map((name) => `${name} ${readFileSync(join(folder, name), 'utf8')}`)
        .sort()
    : [];

/** Does it as a user does who is sure. */
export const doIn = (
  place: Place,
  name: BatchName,
  verb: 'run' | 'resume' | 'clean' | 'remove',
  input = `${name}.jsonl`,
): Promise<Ran> => {
  if (verb === 'run') return commandIn(place, name, 'run', name, '--input', input, ...place.at(name));
  const more = verb === 'resume' ? [] : ['--yes'];
  return commandIn(place, name, verb, place.batch(name), ...more);
};

/** A run that leaves what it had left when a request arrived. */
export async function killedRun(
  place: Place,
  name: BatchName,
  request: number,
  input?: string,
): Promise<{ readonly ran: Ran; readonly killed: boolean }> {
  const { service } = place;
  let [requests, accepted] = [0, 0];
  service.onRequest = () => {
    requests += 1;
    if (requests !== request) return;
    accepted = service.jobs.length;
    return place.save(name);
  };
  const ran = await doIn(place, name, 'run', input);
  service.onRequest = () => undefined;
  const killed = requests >= request;
  if (killed) {
    await place.restore(name);
    service.jobs.length = accepted;
  }
  return { ran, killed };
}

/** The batch has all its items, each one of its own results or of none. */
export async function expectWhole(place: Place, name: BatchName): Promise<void> {
  const status = summary(await commandIn(place, name, 'status', place.batch(name)));
  expect(status).toMatchObject({ endpoint: name, planned: COUNT });
  const exported = await berthIn(worldOf(place, name), [
    ...['jobs', 'batch', 'export', place.batch(name), '--format', 'jsonl'],
  ]);
  expect(exported.code, exported.err).toBe(0);
  const rows = exported.out.split('\n').filter((line) => line !== '');
  expect(rows).toHaveLength(Number(status['completed']));
  for (const row of rows) {
    const { item, output } = JSON.parse(row) as { readonly item: number; readonly output: unknown };
    expect(output).toEqual({ endpoint: name, n: item });
  }
}

async function begin(clock: TestWorld['clock']): Promise<Pick<Place, 'world' | 'service'>> {
  const { service, env } = await createCountingService();
  const world = createTestWorld({ clock, env });
  for (const name of NAMES) write(world, `${name}.jsonl`, items(COUNT));
  return { world, service };
}

export async function filePlace(): Promise<Place> {
  const { world, service } = await begin(createAutoAdvancingClock());
  const folder = join(world.directory, 'results');
  const saved = join(world.directory, 'saved');
  mkdirSync(folder);
  return {
    ...{ world, service, named: false },
    at: () => ['--out', 'results/r.jsonl'],
    batch: () => 'results/r.jsonl',
    env: () => ({}),
    contents: async () => filesIn(folder),
    save: async () => {
      rmSync(saved, { recursive: true, force: true });
      cpSync(folder, saved, { recursive: true });
    },
    restore: async () => {
      rmSync(folder, { recursive: true, force: true });
      cpSync(saved, folder, { recursive: true });
      const lock = join(folder, 'r.jsonl.journal.lock');
      rmSync(lock, { recursive: true });
      writeForgedLock(lock, HOLDERS.dead());
    },
  };
}

/** `speed` is how many times as fast the clock of the drivers runs. */
export async function sharedPlace(cluster: Cluster, stores: 1 | 2, speed = 20): Promise<Place> {
  const { world, service } = await begin(createRealClock(speed));
  const create = async (): Promise<string> => {
    const database = await cluster.createDatabase();
    await speedUpClock(cluster, database, speed);
    return database;
  };
  const first = await create();
  const databases = { one: first, two: stores === 1 ? first : await create() };
  const folder = join(world.directory, 'parts');
  const saved = join(world.directory, 'saved');
  return {
    ...{ world, service, named: true },
    at: (name) => ['--out', 'parts', '--name', name, '--shard-items', '2'],
    batch: (name) => name,
    env: (name) => ({ BERTH_STORE: cluster.url(databases[name]) }),
    contents: async () => [
      ...filesIn(folder),
      ...(await Promise.all([...new Set(Object.values(databases))].map((each) => tablesIn(cluster, each)))).flat(),
    ],
    save: async (name) => {
      await saveTables(cluster, databases[name]);
      rmSync(saved, { recursive: true, force: true });
      cpSync(folder, saved, { recursive: true });
    },
    restore: async (name) => {
      await restoreTables(cluster, databases[name]);
      rmSync(folder, { recursive: true, force: true });
      cpSync(saved, folder, { recursive: true });
    },
  };
}
