/** A string, which is passed over, or a number that only some programs write. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g;

/** The text with `null` in the place of these numbers. */
export const withoutNumbersNotJson = (text: string): string =>
  text.replace(STRING_OR_NUMBER, (found) => (found.startsWith('"') ? found : 'null'));

/** The first `NaN`, `Infinity` or `-Infinity` in a text that is JSON otherwise; undefined when there is none. */
export function numberNotJson(text: string): string | undefined {
  for (const [found] of text.matchAll(STRING_OR_NUMBER)) if (!found.startsWith('"')) return found;
  return undefined;
}
