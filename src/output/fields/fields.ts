import { isObject, type Json, type JsonObject, isList } from '../../core/json.ts';
import { plainCell } from '../cells/cell-functions.ts';
import type { Column } from '../view.ts';

/** The members to pick from a value, as a tree; an empty map picks the whole value. */
type Selection = ReadonlyMap<string, Selection>;

/**
 * Returns a row with only the members that dotted paths name (`--fields`). Picked members keep their nesting, so that a
 * program that reads the whole document reads the picked one too. A path passes through an array by all items
 * (`runtime.gpus.util`) or by one of them (`runtime.gpus.0`). A path that matches nothing gives null.
 */
export const pickFields = (row: Json, paths: readonly string[]): Json => pick(row, selectionOf(paths));

/** True when a row has the member that a path names, even if it is null. An array without items matches every path. */
export function hasField(row: Json, path: string): boolean {
  const [first = '', ...rest] = path.split('.');
  if (isList(row)) {
    if (!isIndex(first)) return row.length === 0 || row.some((item) => hasField(item, path));
    const item = row[Number(first)];
    return item === undefined || rest.length === 0 || hasField(item, rest.join('.'));
  }
  // A member that is null may have inner members at another time.
  const inner = memberOf(row, first);
  if (inner === undefined) return false;
  return rest.length === 0 || inner === null || hasField(inner, rest.join('.'));
}

/** Returns the value at one path of `--fields`, without the nesting around it. */
export function fieldAt(row: Json, path: string): Json {
  let at = pickFields(row, [path]);
  for (const step of path.split('.')) at = unwrap(at, step);
  return at;
}

/** Returns the table columns for the paths of `--fields`. */
export const fieldColumns = (paths: readonly string[]): readonly Column[] =>
  paths.map((path) => ({ header: path, show: (row) => plainCell(fieldAt(row, path)) }));

/** Returns a column for every member that any of the rows has: for documents without a view. */
export const memberColumns = (rows: readonly Json[]): readonly Column[] =>
  memberNames(rows).map((name) => ({ header: name, show: (row) => plainCell(memberOf(row, name)) }));

/** Returns the member names of all rows, in the order of their first occurrence. */
export const memberNames = (rows: readonly Json[]): readonly string[] => [
  ...new Set(rows.flatMap((row) => (isObject(row) ? Object.keys(row) : []))),
];

/** Returns a member by its name, in which a dot is an ordinary character. */
export const memberOf = (row: Json, name: string): Json | undefined =>
  isObject(row) && Object.hasOwn(row, name) ? row[name] : undefined;

function selectionOf(paths: readonly string[]): Selection {
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
  return new Map([...byFirst].map(([first, rest]) => [first, whole.has(first) ? new Map() : selectionOf(rest)]));
}

function pick(value: Json | undefined, selection: Selection): Json {
  if (value === undefined) return null;
  if (selection.size === 0) return value;
  if (isList(value)) {
    const names = [...selection.keys()];
    if (!names.every(isIndex)) return value.map((item) => pick(item, selection));
    return names.map((name) => pick(value[Number(name)], selection.get(name) ?? new Map()));
  }
  if (!isObject(value)) return null;
  return objectFrom([...selection].map(([name, inner]) => [name, pick(memberOf(value, name), inner)]));
}

/** Removes one level of the nesting that `pick` keeps around the value of a path. */
function unwrap(value: Json, step: string): Json {
  if (isList(value)) return isIndex(step) ? (value[0] ?? null) : value.map((item) => unwrap(item, step));
  return memberOf(value, step) ?? null;
}

const isIndex = (step: string): boolean => /^\d+$/.test(step);
const objectFrom = (members: readonly (readonly [string, Json])[]): JsonObject => Object.fromEntries(members);
