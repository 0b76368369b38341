import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { text } from '../layout/cells.ts';
import type { Column } from '../view.ts';

/** Members wanted of a value; an empty map wants all of it. */
type Wanted = ReadonlyMap<string, Wanted>;

/**
 * The members named by dotted paths (`--fields`). What is picked lies where it lay in the document, so what reads the
 * whole one reads the picked one too. A path goes through an array by its items (`runtime.gpus.util`) or by one of
 * them (`runtime.gpus.0`); what leads nowhere is null.
 */
export const pickFields = (row: Json, paths: readonly string[]): Json => take(row, wantedBy(paths));

/** Whether a row has what a path leads to, be it null; a list without items may have anything. */
export function hasField(row: Json, path: string): boolean {
  const [first = '', ...rest] = path.split('.');
  if (isList(row)) {
    if (!isIndex(first)) return row.length === 0 || row.some((item) => hasField(item, path));
    const item = row[Number(first)];
    return item === undefined || rest.length === 0 || hasField(item, rest.join('.'));
  }
  // What is null or missing now may hold it another time.
  const inner = memberOf(row, first);
  if (inner === undefined) return false;
  return rest.length === 0 || inner === null || hasField(inner, rest.join('.'));
}

/** What lies at one path of `--fields`, alone. */
export function fieldAt(row: Json, path: string): Json {
  let at = pickFields(row, [path]);
  for (const step of path.split('.')) at = unwrap(at, step);
  return at;
}

/** The paths of `--fields` as columns of a table. */
export const fieldColumns = (paths: readonly string[]): readonly Column[] =>
  paths.map((path) => ({ header: path, show: (row) => text('at')({ at: fieldAt(row, path) }) }));

/** The members of a row as columns: for what has no view of its own. Every member that any of the rows has. */
export const memberColumns = (rows: readonly Json[]): readonly Column[] =>
  memberNames(rows).map((name) => ({ header: name, show: (row) => text('at')({ at: memberOf(row, name) }) }));

/** Names of the members of all rows, in the order in which they come up. */
export const memberNames = (rows: readonly Json[]): readonly string[] => [
  ...new Set(rows.flatMap((row) => (isObject(row) ? Object.keys(row) : []))),
];

/** A member by its whole name, dots and all. */
export const memberOf = (row: Json, name: string): Json | undefined =>
  isObject(row) && Object.hasOwn(row, name) ? row[name] : undefined;

function wantedBy(paths: readonly string[]): Wanted {
  const byFirst = new Map<string, string[]>();
  const whole = new Set<string>();
  for (const path of paths) {
    const dot = path.indexOf('.');
    const first = dot < 0 ? path : path.slice(0, dot);
    const rest = byFirst.get(first) ?? [];
    byFirst.set(first, rest);
    if (dot < 0) whole.add(first);
    else rest.push(path.slice(dot + 1));
  }
  return new Map([...byFirst].map(([first, rest]) => [first, whole.has(first) ? new Map() : wantedBy(rest)]));
}

function take(value: Json | undefined, wanted: Wanted): Json {
  if (value === undefined) return null;
  if (wanted.size === 0) return value;
  if (isList(value)) {
    const names = [...wanted.keys()];
    if (!names.every(isIndex)) return value.map((item) => take(item, wanted));
    return names.map((name) => take(value[Number(name)], wanted.get(name) ?? new Map()));
  }
  if (!isObject(value)) return null;
  return objectFrom([...wanted].map(([name, inner]) => [name, take(memberOf(value, name), inner)]));
}

/** Undoes what `take` keeps around the value of one path. */
function unwrap(value: Json, step: string): Json {
  if (isList(value)) return isIndex(step) ? (value[0] ?? null) : value.map((item) => unwrap(item, step));
  return memberOf(value, step) ?? null;
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
const isIndex = (step: string): boolean => /^\d+$/.test(step);
const objectFrom = (members: readonly (readonly [string, Json])[]): JsonObject => Object.fromEntries(members);
