/** Which rows of a list are meant: by their names, statuses and ages. */
import { type Json, memberAt, stringAt, stringOf } from '../../json.ts';
import { compileGlobs } from './glob.ts';
import type { EpochMs, Milliseconds } from '../../unit-types.ts';

/** What a row must fit: every member that is given, and one of several values. Those that do not fit the resource are absent. */
export interface RowFilter {
  /** Patterns of names. */
  readonly match?: readonly string[] | undefined;
  readonly status?: readonly string[] | undefined;
  /** Since its creation. */
  readonly olderThan?: Milliseconds | undefined;
  readonly newerThan?: Milliseconds | undefined;
}

/**
 * Compiles a filter. A row of unknown age is neither older nor newer. `matchLabel` names the patterns in messages,
 * `createdAt` the member with the time of the creation; `now` is the service's time in milliseconds. Fails with usage (2)
 * for an empty pattern.
 */
export function compileRowFilter(
  { match = [], status = [], olderThan, newerThan }: RowFilter,
  matchLabel: string,
  createdAt = 'createdAt',
): (row: Json, now: EpochMs) => boolean {
  const isMatch = match.length === 0 ? () => true : compileGlobs(match, matchLabel);
  return (row, now) => {
    const ageMs = now - Date.parse(stringAt(row, createdAt) ?? '');
    return (
      isMatch(stringAt(row, 'name') ?? '') &&
      isAmong(status, memberAt(row, 'status')) &&
      (olderThan === undefined || ageMs > olderThan) &&
      (newerThan === undefined || ageMs < newerThan)
    );
  };
}

/** True when a value is one of the wanted ones, in upper or lower case, or when none is wanted. */
export const isAmong = (wanted: readonly string[], value: Json | undefined): boolean =>
  wanted.length === 0 || wanted.some((each) => each.toLowerCase() === stringOf(value)?.toLowerCase());
