import type { Json } from '../../core/json.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { serverError, unprocessable } from '../contract/problem.ts';
import { settingOf } from './faults.ts';
import { type Call, shown } from './operation.ts';
import type { State } from '../state/state.ts';

interface PagedRow {
  readonly id: string;
  readonly createdAt: EpochMs;
}

interface Page<T> {
  readonly rows: readonly T[];
  readonly pagination: { readonly nextCursor: string | null; readonly hasNextPage: boolean };
}

/** For lists that never have a second page. */
export const WHOLE_LIST: Json = { nextCursor: null, hasNextPage: false };

/** A place in a list: after the row of this time and id. */
type Position = Readonly<PagedRow>;

interface Cursor {
  readonly position: Position;
  /** The number of the page, so that no two pages of a list have the same cursor. */
  readonly page: number;
}

/** Newest first. 422 Problem for a cursor of another operation or other parameters (additions 1). */
export function pageOf<T extends PagedRow>(state: State, call: Call, listed: readonly T[]): Page<T> {
  const cursor = readCursor(call);
  const fault = call.takeFault(state, cursor === undefined ? ['page'] : ['next-page', 'page']);
  if (fault?.kind === 'page-error') throw serverError(settingOf('status')(fault));
  const ordered = newestFirst(listed);
  const after = cursor === undefined ? 0 : indexAfter(ordered, cursor.position);
  // A page of one row is shifted only every other time: else no later row would ever come.
  const isShifted = fault?.kind === 'page-shift' && (sizeOf(call) > 1 || (cursor?.page ?? 0) % 2 === 1);
  const start = isShifted ? Math.max(0, after - 1) : after;
  const rows = fault?.kind === 'page-empty' ? [] : ordered.slice(start, start + sizeOf(call));
  const last = rows.at(-1) ?? cursor?.position ?? NEWEST;
  const hasNextPage = fault === undefined || fault.kind === 'page-shift' ? start + rows.length < ordered.length : true;
  const nextCursor = fault?.kind === 'page-loop' ? call.query.get('cursor') : cursorText(call, last, cursor);
  return {
    rows,
    pagination: { nextCursor: hasNextPage && fault?.kind !== 'page-no-cursor' ? nextCursor : null, hasNextPage },
  };
}

/** A page of what a replica that lags shows, under its name. */
export function listed<T extends PagedRow>(
  name: string,
  rows: readonly T[],
  /** An empty array leaves the row out after the page was cut. */
  documentOf: (row: T) => Json | readonly Json[],
  ...[state, call, now]: readonly [State, Call, EpochMs]
): Json {
  const page = pageOf(state, call, shown(rows, call, now));
  return { [name]: page.rows.flatMap(documentOf), pagination: page.pagination };
}

const NEWEST: Position = { createdAt: Number.MAX_SAFE_INTEGER, id: '' };

const order = (one: Position, other: Position): number =>
  other.createdAt - one.createdAt || (one.id === other.id ? 0 : one.id < other.id ? 1 : -1);

/** Records are kept oldest first: sorting them in reverse takes one pass. */
const newestFirst = <T extends PagedRow>(rows: readonly T[]): readonly T[] => rows.toReversed().sort(order);

function indexAfter(ordered: readonly Position[], position: Position): number {
  let low = 0;
  let high = ordered.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (order(ordered[middle] ?? NEWEST, position) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** `limit`, by default its contract maximum; never more than the setting. */
function sizeOf({ query, operation, settings }: Call): number {
  const limit = operation.parameters?.find(({ name }) => name === 'limit');
  return Math.min(Number(query.get('limit') ?? limit?.schema['maximum'] ?? settings.pageSize), settings.pageSize);
}

/** What a cursor is valid for: the operation and all parameters but the cursor itself. */
const askedFor = ({ operation, params, query }: Call): string =>
  JSON.stringify([
    operation.id,
    params,
    (operation.parameters ?? []).filter(({ name }) => name !== 'cursor').map(({ name }) => query.get(name)),
  ]);

const cursorText = (call: Call, { createdAt, id }: Position, previous: Cursor | undefined): string =>
  Buffer.from(JSON.stringify([askedFor(call), createdAt, id, (previous?.page ?? 0) + 1])).toString('base64url');

function readCursor(call: Call): Cursor | undefined {
  const text = call.query.get('cursor');
  if (text === null) return undefined;
  const [asked, createdAt, id, page] = decode(text);
  if (typeof createdAt !== 'number' || typeof id !== 'string' || typeof page !== 'number')
    throw unprocessable(['query cursor: is not a cursor of this service']);
  if (asked !== askedFor(call))
    throw unprocessable(['query cursor: is of another list, or of other parameters, which every page must repeat']);
  return { position: { createdAt, id }, page };
}

/** None when it is malformed. */
function decode(text: string): readonly unknown[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(values) && Buffer.from(JSON.stringify(values)).toString('base64url') === text ? values : [];
  } catch {
    return [];
  }
}
