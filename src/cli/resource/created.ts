import { type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import type { Context } from '../../core/context.ts';
import { type Json, stringAt } from '../../core/json.ts';
import { createAbsence, type Absence } from '../../core/not-there-yet.ts';
import { idOf } from '../../output/view.ts';
import type { Collection, Query } from '../model/collection.ts';
import type { CommandContext } from '../model/context.ts';
import { listRows } from './requests.ts';

type Ports = Pick<Context, 'lists' | 'clock'>;

const REMEMBERED_MS: Milliseconds = MINUTE_MS;
const LIST_AGAIN_MS: Milliseconds = 1000;
const MAX_ROWS = 100;

interface CreatedRow {
  readonly id: string;
  readonly name: string;
  readonly ageMs: Milliseconds;
}

/** The description of each row is its time. */
const listOf = (noun: string): string => `created ${noun}`;

/** From the last minute, the latest first: a replica of the service may not have them yet. */
export async function createdRows({ lists, clock }: Ports, noun: string): Promise<readonly CreatedRow[]> {
  const rows = (await lists.read(listOf(noun)))?.rows ?? [];
  // eslint-disable-next-line no-restricted-syntax -- a date: another process created the row
  const now = clock.now();
  return rows
    .map(({ value, name, description }) => ({ id: value, name, ageMs: now - Date.parse(description) }))
    .filter(({ ageMs }) => ageMs >= 0 && ageMs < REMEMBERED_MS);
}

export async function rememberCreated(ports: Ports, noun: string, row: Json): Promise<void> {
  const created = { id: stringAt(row, 'id') ?? '', name: stringAt(row, 'name') ?? '', ageMs: 0 };
  await write(ports, noun, [created, ...(await createdRows(ports, noun))].slice(0, MAX_ROWS));
}

export async function rememberRenamed(ports: Ports, noun: string, row: Json): Promise<void> {
  const [id, name] = [stringAt(row, 'id'), stringAt(row, 'name')];
  const rows = await createdRows(ports, noun);
  const renamed = rows.map((each) => (each.id === id && name !== undefined ? { ...each, name } : each));
  if (renamed.some((each, at) => each.name !== rows[at]?.name)) await write(ports, noun, renamed);
}

/** After a delete, a 404 is final. */
export async function forgetCreated(ports: Ports, noun: string, ids: readonly string[]): Promise<void> {
  const rows = await createdRows(ports, noun);
  const left = rows.filter(({ id }) => !ids.includes(id));
  if (left.length < rows.length) await write(ports, noun, left);
}

async function write({ lists, clock }: Ports, noun: string, rows: readonly CreatedRow[]): Promise<void> {
  // eslint-disable-next-line no-restricted-syntax -- a date: another process reads it
  const now = clock.now();
  await lists.write(
    listOf(noun),
    rows.map(({ id, name, ageMs }) => ({ value: id, name, description: new Date(now - ageMs).toISOString() })),
  );
}

/** Decides about 404s; undefined unless this machine created the row a moment ago. */
export async function absenceOfCreated(ports: Ports, noun: string, word: string): Promise<Absence | undefined> {
  const created = (await createdRows(ports, noun)).find(({ id, name }) => id === word || name === word);
  const { clock } = ports;
  return created && createAbsence(clock, clock.monotonic() + REMEMBERED_MS - created.ageMs);
}

/** Polls for up to a minute until the list has just-created rows: they cost money. Says so on stderr. */
export async function listRowsWithCreated(
  ctx: CommandContext,
  collection: Pick<Collection, 'path' | 'member' | 'billed' | 'noun'>,
  query?: Query,
): Promise<readonly Json[]> {
  const { noun } = collection;
  for (let count = 0; ; count++) {
    const { values } = await listRows(ctx, collection, query);
    const missing = (await createdRows(ctx, noun)).filter(({ id }) => !values.some((row) => idOf(row) === id));
    if (missing.length === 0) return values;
    const named = missing.map(({ id }) => `${noun} ${id}`).join(', ');
    if (count === 0)
      await ctx.tell(`Not listed yet, although just created: ${named}. Asking again for up to a minute.`);
    await ctx.clock.sleep(LIST_AGAIN_MS, ctx.signal);
  }
}
