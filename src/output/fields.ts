import { type Failure, usage } from '../core/failure.ts';
import { isList, isObject, type Json, type JsonObject, memberOf } from '../core/json.ts';
import { safeText } from '../core/safe-text.ts';
import { hideSecrets } from '../core/secret-names.ts';
import { plainCell } from './cells.ts';
import { type Column, type OutputOptions, type Result, rowsOf, type RowsResult } from './view.ts';

type Selection = ReadonlyMap<string, Selection>;

/** Keeps the nesting. A path passes through all items of an array or one (`gpus.0`). No match gives null. */
export const pickFields = (row: Json, paths: readonly string[]): Json => pick(row, selectionOf(paths));

/** True when a row has the member that a path names, even if it is null. An array without items matches every path. */
function hasField(row: Json, path: string): boolean {
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

export function fieldAt(row: Json, path: string): Json {
  let at = pickFields(row, [path]);
  for (const step of path.split('.')) at = unwrap(at, step);
  return at;
}

export const fieldColumns = (paths: readonly string[]): readonly Column[] =>
  paths.map((path) => ({ header: path, always: true, show: (row) => plainCell(fieldAt(row, path)) }));

export const memberColumns = (rows: readonly Json[]): readonly Column[] =>
  memberNames(rows).map((name) => ({ header: name, show: (row) => plainCell(memberOf(row, name)) }));

export const memberNames = (rows: readonly Json[]): readonly string[] => [
  ...new Set(rows.flatMap((row) => (isObject(row) ? Object.keys(row) : []))),
];

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

function unwrap(value: Json, step: string): Json {
  if (isList(value)) return isIndex(step) ? (value[0] ?? null) : value.map((item) => unwrap(item, step));
  return memberOf(value, step) ?? null;
}

const isIndex = (step: string): boolean => /^\d+$/.test(step);
const objectFrom = (members: readonly (readonly [string, Json])[]): JsonObject => Object.fromEntries(members);

const MAX_NAMES = 60;

type Suggest = (name: string, known: readonly string[]) => string | undefined;

/** A name that only a row has is accepted: a newer service may send it. Without rows, all are. Usage (2). */
export function checkFields(result: Result, { fields = [] }: OutputOptions, suggest: Suggest): void {
  if (fields.length === 0 || (result.kind !== 'one' && result.kind !== 'many')) return;
  const { paths = [] } = result.view;
  const rows = rowsOf(result);
  const isUnknown = (path: string): boolean => !isKnown(path, paths) && !rows.some((row) => hasField(row, path));
  const wrong = rows.length === 0 ? [] : fields.filter(isUnknown);
  if (wrong.length > 0) throw wrongFields(result.view.noun[0], wrong, namesOf(result), suggest);
}

/** For streams: after the first row it is too late to refuse. Fails with usage (2). */
export function checkKnownFields(
  known: readonly string[],
  { fields = [] }: OutputOptions,
  suggest: Suggest,
  noun = 'answer',
): void {
  const wrong = fields.filter((path) => !isKnown(path, known));
  if (wrong.length > 0) throw wrongFields(noun, wrong, known, suggest);
}

/** Which paths no row of a long export has. */
export function missingFields({ fields = [] }: OutputOptions) {
  let missing = [...new Set(fields)];
  let isEmpty = true;
  return {
    see: (row: Json): void => {
      isEmpty = false;
      if (missing.length > 0) missing = missing.filter((path) => !hasField(row, path));
    },
    all: (): readonly string[] => (isEmpty ? [] : missing),
  };
}

/** True for a known path, for an object around one, and for what is inside a value whose members are not known. */
const isKnown = (path: string, known: readonly string[]): boolean =>
  known.some((each) => each === path || each.startsWith(`${path}.`)) ||
  known.some((each) => path.startsWith(`${each}.`) && !known.some((other) => other.startsWith(`${each}.`)));

const namesOf = (result: RowsResult): readonly string[] => [
  ...new Set([...memberNames(rowsOf(result)), ...(result.view.paths ?? [])]),
];

function wrongFields(noun: string, wrong: readonly string[], known: readonly string[], suggest: Suggest): Failure {
  const near = wrong.flatMap((path) => suggest(path, known) ?? []);
  const names = known.slice(0, MAX_NAMES).map((name) => safeText(name));
  const more = known.length > MAX_NAMES ? ', ...' : '';
  return usage(
    `--fields: no ${noun} has ${wrong.map((path) => safeText(path)).join(', ')}`,
    [...near, `There are ${names.join(', ')}${more}.`].join('\n'),
  );
}

/** Rows that are encoded together: few, so that the memory for a group is freed before the next one. */
const GROUP_ROWS = 100;

export function* groupsOf<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < rows.length; at += GROUP_ROWS) yield rows.slice(at, at + GROUP_ROWS);
}

/** The row as people read it in tables and CSV, also where `--fields env.NAME` asks for a variable. */
export const rowWithoutSecrets = (row: Json, { isSecret }: OutputOptions): Json =>
  isSecret === undefined ? row : hideSecrets(row, isSecret);
