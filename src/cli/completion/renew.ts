import type { Context } from '../../core/context.ts';
import { itemsAt, type Json, numberAt, stringAt } from '../../core/json.ts';
import type { ListRow } from '../../core/ports/remembered.ts';
import { safeText } from '../../core/safe-text.ts';
import { hourlyPrice } from '../../core/units.ts';
import type { ListSource } from './sources.ts';
import { listRequest } from '../resource/identity/requests.ts';

/** Maximum number of rows that are kept of a list. */
const MAX_ROWS = 1000;
/** Maximum length of a name that is offered, and of one word of a description, in characters. */
const MAX_LENGTH = 200;
/** Maximum time for the whole request and its answer, in milliseconds. */
const DEADLINE_MS = 10_000;

/** Reads a list of the service and keeps its rows for completion. Sends nothing without a key. Fails as a request does. */
export async function renewList({ api, settings, lists }: Context, list: string, source: ListSource): Promise<void> {
  if (!settings.local && (await settings.key()) === undefined) return;
  const answer = await api.send({ ...listRequest(source, source.lookupQuery), deadlineMs: DEADLINE_MS });
  const rows = itemsAt(answer.value, source.member).flatMap((row) => listRow(row, source));
  await lists.write(list, [...new Map(rows.map((row) => [row.value, row])).values()].slice(0, MAX_ROWS));
}

function listRow(row: Json, { value = 'id', described = ['status'] }: ListSource): readonly ListRow[] {
  const id = offered(stringAt(row, value));
  if (id === '') return [];
  const description = described.map((each) => wordOf(row, each)).filter((word) => word !== '');
  return [{ value: id, name: offered(stringAt(row, 'name')), description: description.join(', ') }];
}

/**
 * A value that a shell may offer; otherwise empty. A control character could act on the terminal or end the line of the
 * answer to the shell, and a word that begins with a dash would be read as a flag.
 */
const offered = (text = ''): string =>
  text.length <= MAX_LENGTH && !text.startsWith('-') && safeText(text) === text ? text : '';

function wordOf(row: Json, described: NonNullable<ListSource['described']>[number]): string {
  if (typeof described === 'string') return safeText(stringAt(row, described) ?? '').slice(0, MAX_LENGTH);
  if ('gigabytes' in described) {
    const size = numberAt(row, described.gigabytes);
    return size === undefined ? '' : `${size} GB`;
  }
  return hourlyPrice(numberAt(row, described.hourly));
}
