import { encodeJson, isObject, memberAt, objectOf, type Json } from '../../core/json.ts';
import { json, text } from '../../output/layout/cells.ts';
import type { Cell, Section, Shown, Tone } from '../../output/view.ts';

/** The members of a row that a view does not name, as they came: nothing the service says is hidden. */
export function otherMembers(row: Json, known: readonly string[]): Section['lines'] {
  const names = isObject(row) ? Object.keys(row).filter((name) => !known.includes(name)) : [];
  return names.map((label) => ({
    label,
    value: isObject(row) && typeof row[label] === 'string' ? text(label)(row) : json(label)(row),
  }));
}

/** A member's name in words: `retryAfter` as `retry after`. */
export const wordsOf = (member: string): string =>
  member.replace(/([a-z0-9])([A-Z])/g, (_, before: string, capital: string) => `${before} ${capital.toLowerCase()}`);

/** The column header of a member. */
export const headingOf = (member: string): string => wordsOf(member).toUpperCase();

/** A word in the tone that a table gives it; a word it does not know is shown plain. */
export const toned =
  (path: string, tones: Readonly<Record<string, Tone>>) =>
  (row: Json): Cell => {
    const word = text(path)(row);
    return { text: word, tone: Object.hasOwn(tones, word) ? (tones[word] ?? 'plain') : 'plain' };
  };

/** `NAME=VALUE` for each member of an object, such as environment variables. */
export const pairs =
  (path: string) =>
  (row: Json): Shown =>
    Object.entries(objectOf(memberAt(row, path)) ?? {}).map(
      ([name, value]) => `${name}=${typeof value === 'string' ? value : encodeJson(value ?? null)}`,
    );
