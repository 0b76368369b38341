/** Parts of views that several resources use. */
import { encodeJson, isObject, type Json, objectAt } from '../../../core/json.ts';
import { jsonBlock, text } from '../../../output/cells/cell-functions.ts';
import type { Section, Shown, Column } from '../../../output/view.ts';

/** A line for each member of an object that is not in `known`, so that a view hides nothing the service sent. */
export function otherMembers(row: Json, known: readonly string[]): Section['lines'] {
  const names = isObject(row) ? Object.keys(row).filter((name) => !known.includes(name)) : [];
  return names.map((label) => ({
    label,
    value: isObject(row) && typeof row[label] === 'string' ? text(label)(row) : jsonBlock(label)(row),
  }));
}

/** The label of a member: `retryAfter` gives `retry after`. */
export const memberLabel = (member: string): string =>
  member.replace(/([a-z0-9])([A-Z])/g, (_, before: string, capital: string) => `${before} ${capital.toLowerCase()}`);

/** The column header of a member: `retryAfter` gives `RETRY AFTER`. */
export const memberHeader = (member: string): string => memberLabel(member).toUpperCase();

/** `NAME=VALUE` for each member of an object, such as environment variables. */
export const pairs =
  (path: string) =>
  (row: Json): Shown =>
    Object.entries(objectAt(row, path) ?? {}).map(
      ([name, value]) => `${name}=${typeof value === 'string' ? value : encodeJson(value ?? null)}`,
    );

/** A column that shows a member as text under its name: `dataCenter` under `DATA CENTER`. */
export const textColumn = (path: string, options: Partial<Column> = {}): Column => ({
  header: memberHeader(path.split('.').at(-1) ?? path),
  show: text(path),
  ...options,
});
