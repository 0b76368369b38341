import { MINUTE_MS } from '../../core/durations.ts';
import type { Context } from '../../core/context.ts';
import { type Json, stringAt } from '../../core/json.ts';
import { askUntilThere, createAbsence } from '../../core/not-there-yet.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

type Ports = Pick<Context, 'lists' | 'clock'>;

/** For how long it is remembered that something was just created. */
const REMEMBERED_MS: Milliseconds = MINUTE_MS;
/** Maximum number of rows that are remembered. */
const MAX_ROWS = 100;

/** The remembered list of the rows of a noun that this machine has just created. */
const listOf = (noun: string): string => `created ${noun}`;

/** Remembers that a row was just created: a replica of the service may not have it yet. */
export async function rememberCreated({ lists }: Ports, noun: string, row: Json): Promise<void> {
  const list = listOf(noun);
  const known = await lists.read(list);
  const others = known !== undefined && known.ageMs < REMEMBERED_MS ? known.rows : [];
  const created = { value: stringAt(row, 'id') ?? '', name: stringAt(row, 'name') ?? '', description: '' };
  await lists.write(list, [created, ...others].slice(0, MAX_ROWS));
}

/**
 * Returns a function that runs requests about a row, by its id or name: it resolves to undefined while the service does not
 * have the row yet, because it was just created. The 404 of any other row is final.
 */
export const askForCreated = ({ lists, clock }: Ports, noun: string, word: string): ReturnType<typeof askUntilThere> =>
  askUntilThere(async () => {
    const known = await lists.read(listOf(noun));
    const isKnown = known?.rows.some(({ value, name }) => value === word || name === word) === true;
    return isKnown && known.ageMs < REMEMBERED_MS ? createAbsence(clock) : undefined;
  });
