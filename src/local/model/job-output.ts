import type { Bytes } from '../../core/unit-types.ts';

/** Strings are matched only to skip them. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g;

export const withoutNumbersNotJson = (text: string): string =>
  text.replace(STRING_OR_NUMBER, (found) => (found.startsWith('"') ? found : 'null'));

export function numberNotJson(text: string): string | undefined {
  for (const [found] of text.matchAll(STRING_OR_NUMBER)) if (!found.startsWith('"')) return found;
  return undefined;
}

/** The largest output of a job: what the queue takes in one body (specification 8.2, runsync). */
export const MAX_OUTPUT_BYTES: Bytes = 20_000_000;

export const outputTooLarge = (bytes: Bytes): string =>
  `the output has ${String(bytes)} bytes, and a job may have at most ${String(MAX_OUTPUT_BYTES / 1_000_000)} MB`;
