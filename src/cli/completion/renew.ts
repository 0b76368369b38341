import type { Context } from '../../core/context.ts';
import { type Json, numberAt, stringAt } from '../../core/json.ts';
import type { ListRow } from '../../core/ports/remembered.ts';
import { safeText } from '../../core/safe-text.ts';
import { hourlyPrice } from '../../core/units.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import type { ListSource } from '../model/completion-sources.ts';
import { listRequest } from '../resource/identity/requests.ts';
import { followPages } from '../resource/pages/follow-pages.ts';

/** A longer list is not kept, and nothing of it is offered: a shell would take a part of it for all. */
export const MAX_ROWS = 10_000;
/** Maximum length of a name that is offered, and of one word of a description, in characters. */
const MAX_LENGTH = 200;
/** Maximum time for a request and its whole answer. */
const DEADLINE_MS: Milliseconds = 10_000;

/**
 * Reads a list of the service and keeps its rows for completion: all of them or none. Sends nothing without a key. Fails as
 * `followPages` does.
 */
export async function renewList({ api, settings, lists }: Context, list: string, source: ListSource): Promise<void> {
  if (!settings.local && (await settings.key()) === undefined) return;
  const rows = new Map<string, ListRow>();
  for await (const each of rowsOfList(api, source)) {
    for (const row of listRow(each, source)) rows.set(row.value, row);
    if (rows.size > MAX_ROWS) break;
  }
  await lists.write(list, rows.size > MAX_ROWS ? [] : [...rows.values()]);
}

/** The rows of a list, page by page. Fails as `followPages` does. */
export async function* rowsOfList(api: Context['api'], source: ListSource): AsyncGenerator<Json> {
  const request = { ...listRequest(source, source.lookupQuery), deadlineMs: DEADLINE_MS };
  for await (const page of followPages(api, request)) yield* page.rows;
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
export const offered = (text = ''): string =>
  text.length <= MAX_LENGTH && !text.startsWith('-') && safeText(text) === text ? text : '';

function wordOf(row: Json, described: NonNullable<ListSource['described']>[number]): string {
  if (typeof described === 'string') return safeText(stringAt(row, described) ?? '').slice(0, MAX_LENGTH);
  if ('gigabytes' in described) {
    const size = numberAt(row, described.gigabytes);
    return size === undefined ? '' : `${size} GB`;
  }
  return hourlyPrice(numberAt(row, described.hourly));
}
