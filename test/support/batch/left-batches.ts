import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { openDatabase } from '../../../src/batch/stores/postgres/database/database.ts';
import { parseStoreAddress } from '../../../src/batch/stores/postgres/database/store-address.ts';
import { MIGRATION_STEPS, prepareTables } from '../../../src/batch/stores/postgres/migrations.ts';
import type { Cluster } from '../postgres/cluster.mjs';
import { insertRows, rowsOf } from '../postgres/saved-tables.ts';
import { COUNT, commandIn, doIn, expectWhole, filesIn, killedRun, type Place } from './batch-place.ts';
import { items, summary } from './command-fixture.ts';

/** A batch as an earlier build left it. `FOLDER` stands for the folder in which it ran. */
export interface LeftBatch {
  /** What had happened to it. */
  readonly when: string;
  /** The jobs that the service had accepted, in their order. */
  readonly jobs: Place['service']['jobs'];
  /** Its files below the folder, with their contents. */
  readonly files: Readonly<Record<string, string>>;
  /** The number of migrations that its tables had, and their rows; absent for a batch of files. */
  readonly tables?: { readonly version: number; readonly rows: Readonly<Record<string, readonly unknown[]>> };
  /** What `status` said of it. */
  readonly counts: Readonly<Record<string, unknown>>;
}

const FOLDER = '@FOLDER@';
const fileOf = (kind: 'file' | 'postgres'): string =>
  join(import.meta.dirname, 'left-by-an-earlier-build', `${kind}.json`);
const COUNTS = ['planned', 'completed', 'failed', 'expired', 'unknown', 'inFlight', 'waiting', 'state'];

export const leftBatches = (kind: 'file' | 'postgres'): readonly LeftBatch[] =>
  JSON.parse(readFileSync(fileOf(kind), 'utf8')) as readonly LeftBatch[];

/** The database of a place: that of its address. */
const databaseOf = (place: Place): string => new URL(place.env('one')['BERTH_STORE'] ?? '').pathname.slice(1);

/**
 * Begins a batch, and leaves it in each state: killed at each of its requests, ended, and with items that the service did not
 * have. Of states with the same counts, the first is kept. Saves what is left for the builds to come; run prettier on the files. `placeOf` makes a new place for each.
 */
export async function saveLeftBatches(
  kind: 'file' | 'postgres',
  placeOf: () => Promise<Place>,
  cluster?: Cluster,
): Promise<void> {
  const left: LeftBatch[] = [];
  const states = [...Array.from({ length: 2 * COUNT }, (_, at) => at + 1), 'ended', 'expired'] as const;
  for (const state of states) {
    const place = await placeOf();
    const { world, service } = place;
    mkdirSync(join(world.directory, 'results'), { recursive: true });
    const input = 'results/one.jsonl';
    writeFileSync(join(world.directory, input), items(COUNT));
    service.forgets = state === 'expired';
    if (typeof state === 'number') await killedRun(place, 'one', state, input);
    else await doIn(place, 'one', 'run', input);
    const status = summary(await commandIn(place, 'one', 'status', place.batch('one')));
    const counts = Object.fromEntries(COUNTS.map((name) => [name, status[name]]));
    if (left.some((other) => isDeepStrictEqual(other.counts, counts))) continue;
    const isOwn = (name: string): boolean => !name.includes('.lock');
    const entries = ['results', 'parts'].flatMap((folder) =>
      filesIn(join(world.directory, folder)).map((entry): [string, string] => {
        const space = entry.indexOf(' ');
        const content = entry.slice(space + 1).replace(/postgres:[^"]*/, 'postgres://db/berth');
        return [`${folder}/${entry.slice(0, space)}`, content];
      }),
    );
    const rows = cluster === undefined ? undefined : await rowsOf(cluster, databaseOf(place));
    const shown = JSON.stringify(rows ?? null).replaceAll(world.directory, FOLDER);
    left.push({
      when: typeof state === 'number' ? `killed at its request ${String(state)}` : state,
      jobs: service.jobs,
      files: Object.fromEntries(entries.filter(([name]) => isOwn(name))),
      ...(rows === undefined
        ? {}
        : { tables: { version: MIGRATION_STEPS.length, rows: JSON.parse(shown) as typeof rows } }),
      counts,
    });
  }
  mkdirSync(dirname(fileOf(kind)), { recursive: true });
  writeFileSync(fileOf(kind), `${JSON.stringify(left, null, 1)}\n`);
}

/** Puts a batch that was left into a new place. */
export async function putBack(place: Place, { jobs, files, tables }: LeftBatch, cluster?: Cluster): Promise<void> {
  const { world, service } = place;
  service.jobs.push(...jobs);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(world.directory, name)), { recursive: true });
    writeFileSync(join(world.directory, name), content);
  }
  if (tables === undefined || cluster === undefined) return;
  const { address, password = '' } = parseStoreAddress(place.env('one')['BERTH_STORE'] ?? '', {});
  const database = await openDatabase({ address, password: async () => password });
  try {
    await prepareTables(database, 'create', MIGRATION_STEPS.slice(0, tables.version));
  } finally {
    await database.close();
  }
  const rows = JSON.stringify(tables.rows).replaceAll(FOLDER, world.directory);
  await insertRows(cluster, databaseOf(place), JSON.parse(rows) as typeof tables.rows);
}

/** The batch is what it was, and a resume, which sends again what may not have run, completes each item. */
export async function expectFinished(place: Place, { counts }: LeftBatch): Promise<void> {
  const name = place.batch('one');
  const before = await commandIn(place, 'one', 'status', name);
  expect(summary(before), before.err).toMatchObject(counts);
  // Whether a resume asks for an expired job depends on its age: the service still has none of them.
  place.service.forgets = Number(counts['expired']) > 0;
  const resumed = await commandIn(place, 'one', 'resume', name, '--moved');
  place.service.forgets = false;
  const unknown = Number(counts['unknown']) + Number(counts['expired']);
  expect([resumed.code, summary(resumed)['completed']], resumed.err).toEqual([unknown > 0 ? 13 : 0, COUNT - unknown]);
  const all = await commandIn(place, 'one', 'resume', name, '--moved', '--resubmit', 'unknown,expired');
  expect([all.code, summary(all)['completed']], all.err).toEqual([0, COUNT]);
  await expectWhole(place, 'one');
  // Nothing was sent twice but what was asked for.
  expect(place.service.jobs.length).toBeLessThanOrEqual(COUNT + unknown);
}
