import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createAutoAdvancingClock } from '../clocks/auto-advancing-clock.ts';
import { HOLDERS, writeForgedLock } from '../files/forged-lock.ts';
import { berthIn, type Ran } from '../worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../worlds/test-world.ts';
import { batchIn, items, secondProcess, summary, write } from './command-fixture.ts';
import { createCountingService, type CountingService } from './counting-service.ts';

export const COUNT = 5;
export const NAMES = ['one', 'two'] as const;
export type BatchName = (typeof NAMES)[number];

/** A place of results, and how a user aims two batches at it. */
export interface Place {
  readonly world: TestWorld;
  readonly service: CountingService;
  /** Flags of a new batch. */
  readonly flags: readonly string[];
  /** All that is there: no command that is refused may change it. */
  readonly contents: () => readonly string[];
  /** Keeps what a process would leave if it were killed now. */
  readonly save: () => void;
  /** Brings that back. */
  readonly restore: () => void;
}

/** The results file at which both batches are aimed. */
export const RESULTS = 'results/r.jsonl';

/** Runs `berth jobs batch ... --json` in a process of its own. */
export const commandIn = ({ world }: Place, ...words: readonly string[]): Promise<Ran> =>
  batchIn(secondProcess(world), ...words);

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
  verb: 'run' | 'resume' | 'remove',
  input = `${name}.jsonl`,
): Promise<Ran> =>
  verb === 'remove'
    ? removed(place)
    : verb === 'run'
      ? commandIn(place, 'run', name, '--input', input, '--out', RESULTS, ...place.flags)
      : commandIn(place, verb, RESULTS);

/** As a user removes a batch; fails without one. */
async function removed({ world, contents }: Place): Promise<Ran> {
  if (contents().length === 0) return { code: 4, out: '', err: '', world };
  const folder = join(world.directory, 'results');
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  return { code: 0, out: '', err: '', world };
}

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
    place.save();
  };
  const ran = await doIn(place, name, 'run', input);
  service.onRequest = () => undefined;
  const killed = requests >= request;
  if (killed) {
    place.restore();
    service.jobs.length = accepted;
  }
  return { ran, killed };
}

/** The batch has all its items, each one of its own results or of none. */
export async function expectWhole(place: Place, name: BatchName): Promise<void> {
  const status = summary(await commandIn(place, 'status', RESULTS));
  expect(status).toMatchObject({ endpoint: name, planned: COUNT });
  const exported = await berthIn(secondProcess(place.world), ['jobs', 'batch', 'export', RESULTS]);
  expect(exported.code, exported.err).toBe(0);
  const rows = exported.out.split('\n').filter((line) => line !== '');
  expect(rows).toHaveLength(Number(status['completed']));
  for (const row of rows) {
    const { item, output } = JSON.parse(row) as { readonly item: number; readonly output: unknown };
    expect(output).toEqual({ endpoint: name, n: item });
  }
}

export async function createPlace(): Promise<Place> {
  const { service, env } = await createCountingService();
  const world = createTestWorld({ clock: createAutoAdvancingClock(), env });
  for (const name of NAMES) write(world, `${name}.jsonl`, items(COUNT));
  const folder = join(world.directory, 'results');
  const saved = join(world.directory, 'saved');
  mkdirSync(folder);
  return {
    ...{ world, service, flags: [] },
    contents: () => filesIn(folder),
    save: () => {
      rmSync(saved, { recursive: true, force: true });
      cpSync(folder, saved, { recursive: true });
    },
    restore: () => {
      rmSync(folder, { recursive: true, force: true });
      cpSync(saved, folder, { recursive: true });
      const lock = join(folder, 'r.jsonl.journal.lock');
      rmSync(lock, { recursive: true });
      writeForgedLock(lock, HOLDERS.dead());
    },
  };
}
