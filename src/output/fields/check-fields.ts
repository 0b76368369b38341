import { usage, type Failure } from '../../core/failure.ts';
import { safeText, say } from '../../core/safe-text.ts';
import type { Json } from '../../core/json.ts';
import { hasField, memberNames } from './fields.ts';
import type { Output } from '../output.ts';
import { rowsOf, type OutputOptions, type Result, type RowsResult, type View } from '../view.ts';

/** The most names that a message lists. */
const MAX_NAMES = 60;

/** How a wrong name is corrected: `Did you mean name?`; undefined where no known name is near. */
type Suggest = (name: string, known: readonly string[]) => string | undefined;

/**
 * Checks `--fields` against the rows of a read, before they are printed. A name is right if the command is known to print
 * it, or if a row has it: a newer service may send members that berth does not know. Without rows every name is accepted.
 * Fails with usage (2) and the names that there are.
 */
export function checkFields(result: Result, { fields = [] }: OutputOptions, suggest: Suggest): void {
  if (result.kind !== 'one' && result.kind !== 'many') return;
  const wrong = unknownFields(result, fields);
  if (wrong.length > 0) throw wrongFields(result.view.noun[0], wrong, namesOf(result), suggest);
}

/**
 * Checks `--fields` before the first row is known, by the names that the command is known to print: afterwards it would
 * be too late to refuse. Fails with usage (2) and the names that there are.
 */
export function checkKnownFields(
  known: readonly string[],
  { fields = [] }: OutputOptions,
  suggest: Suggest,
  noun = 'answer',
): void {
  const wrong = fields.filter((path) => !isKnown(path, known));
  if (wrong.length > 0) throw wrongFields(noun, wrong, known, suggest);
}

/** Whether `--fields` names only members that the view knows or that one of these rows has. */
export const areKnownFields = (
  view: Pick<View, 'paths'>,
  rows: readonly Json[],
  fields: OutputOptions['fields'],
): boolean =>
  (fields ?? []).every((path) => isKnown(path, view.paths ?? []) || rows.some((row) => hasField(row, path)));

/** Passes rows through and finds which paths of `--fields` none of them has; without a row, there is none. */
export function watchFields<T extends Json>(
  groups: AsyncIterable<Iterable<T>>,
  { fields = [] }: OutputOptions,
): { readonly groups: AsyncIterable<Iterable<T>>; readonly missing: () => readonly string[] } {
  let missing = [...new Set(fields)];
  let isEmpty = true;
  function* watched(rows: Iterable<T>): Generator<T> {
    for (const row of rows) {
      isEmpty = false;
      if (missing.length > 0) missing = missing.filter((path) => !hasField(row, path));
      yield row;
    }
  }
  async function* all(): AsyncGenerator<Iterable<T>> {
    for await (const rows of groups) yield watched(rows);
  }
  return { groups: all(), missing: () => (isEmpty ? [] : missing) };
}

/** Says on stderr which paths of `--fields` no row has, where it is too late to refuse them. */
export async function warnUnknownFields(
  result: RowsResult,
  { fields = [] }: OutputOptions,
  output: Pick<Output, 'stderr'>,
): Promise<void> {
  const unknown = unknownFields(result, fields);
  if (unknown.length === 0) return;
  const names = namesOf(result).slice(0, MAX_NAMES).join(', ');
  await output.stderr.write(
    say`--fields: no ${result.view.noun[0]} here has ${unknown.join(', ')}; there are ${names}\n`,
  );
}

function unknownFields(result: RowsResult, fields: readonly string[]): readonly string[] {
  const rows = rowsOf(result);
  return rows.length === 0 ? [] : fields.filter((path) => !areKnownFields(result.view, rows, [path]));
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
  const more = known.length > MAX_NAMES ? ', ...' : '';
  return usage(
    `--fields: no ${noun} has ${wrong.map((path) => safeText(path)).join(', ')}`,
    [
      ...near,
      `There are ${known
        .slice(0, MAX_NAMES)
        .map((name) => safeText(name))
        .join(', ')}${more}.`,
    ].join('\n'),
  );
}
