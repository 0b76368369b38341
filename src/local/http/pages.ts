import type { Json } from '../../core/json.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { injected, unprocessable } from '../contract/problem.ts';
import { settingOf } from './faults.ts';
import { type Call, shown } from './operation.ts';
import type { State } from '../state/state.ts';

interface PagedRow {
  readonly id: string;
  readonly createdAt: EpochMs;
}

export const WHOLE_LIST: Json = { nextCursor: null, hasNextPage: false };

/** The row that a page begins after, and its number, so that no two pages of a list have the same cursor. */
type Cursor = ReturnType<typeof readCursor>;

/** Newest first. 422 Problem for a cursor of another operation or other parameters (additions 1). */
export function pageOf<T extends PagedRow>(state: State, call: Call, listed: readonly T[]) {
  const cursor = readCursor(call);
  const fault = call.takeFault(state, cursor === undefined ? ['page'] : ['next-page', 'page']);
  if (fault?.kind === 'page-error') throw injected(settingOf('status', fault));
  // Records are kept oldest first: sorting them in reverse takes one pass.
  const ordered = listed.toReversed().sort(order);
  const after = ordered.filter((row) => cursor !== undefined && order(row, cursor.position) <= 0).length;
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

const NEWEST: PagedRow = { createdAt: Number.MAX_SAFE_INTEGER, id: '' };

const order = (one: PagedRow, other: PagedRow): number =>
  other.createdAt - one.createdAt || (one.id === other.id ? 0 : one.id < other.id ? 1 : -1);

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

const cursorText = (call: Call, { createdAt, id }: PagedRow, previous: Cursor): string =>
  cursorOf([askedFor(call), createdAt, id, (previous?.page ?? 0) + 1]);

function readCursor(call: Call) {
  const text = call.query.get('cursor');
  if (text === null) return undefined;
  const [asked, createdAt, id, page] = decode(text);
  if (typeof createdAt !== 'number' || typeof id !== 'string' || typeof page !== 'number')
    throw unprocessable(['query cursor: is not a cursor of this service']);
  if (asked !== askedFor(call))
    throw unprocessable(['query cursor: is of another list, or of other parameters, which every page must repeat']);
  const position: PagedRow = { createdAt, id };
  return { position, page };
}

function decode(text: string): readonly unknown[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(values) && cursorOf(values) === text ? values : [];
  } catch {
    return [];
  }
}

const cursorOf = (values: readonly unknown[]): string => Buffer.from(JSON.stringify(values)).toString('base64url');
