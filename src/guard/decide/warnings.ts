/** What in a policy does nothing: exceptions that have ended, and words that nothing matches. */
import { type Json, stringAt } from '../../core/json.ts';
import { isAmong } from '../../core/text/patterns/row-filter.ts';
import { compileGlobs } from '../../core/text/patterns/glob.ts';
import { formatTimestamp } from '../../core/text/timestamp.ts';
import { subjectsOf, type Exception, type Policy, type Rule, type Subject } from '../policy/rules.ts';
import type { EpochMs } from '../../core/unit-types.ts';

/** Warnings as sentences. `subjects` is everything that the policy is about, `now` the service's time. */
export const policyWarnings = (policy: Policy, subjects: readonly Subject[], now: EpochMs): readonly string[] => [
  ...policy.exceptions.flatMap((exception) => exceptionWarning(exception, subjects, now)),
  ...policy.rules.flatMap((rule) => ruleWarnings(rule, subjects)),
];

function exceptionWarning({ match, until }: Exception, subjects: readonly Subject[], now: EpochMs): readonly string[] {
  if (until <= now) return [`The exception of ${match.join(', ')} ended at ${formatTimestamp(until)}.`];
  return unmatched(match, subjects, ['name', 'id']).map(
    (pattern) => `The exception of ${pattern} matches nothing that is there.`,
  );
}

function ruleWarnings({ name, select, when }: Rule, subjects: readonly Subject[]): readonly string[] {
  const kinds = subjectsOf(when);
  const own = subjects.filter(({ kind }) => kinds.includes(kind));
  const noun = kinds.join(' or ');
  const absent = (words: readonly string[] = [], path: string, label: string): readonly string[] =>
    words
      .filter((word) => !own.some(({ row }) => isAmong([word], stringAt(row, path))))
      .map((word) => `Rule ${name}: no ${noun} has the ${label} ${word}.`);
  return [
    ...unmatched(select.match ?? [], own, ['name']).map(
      (pattern) => `Rule ${name}: no ${noun} has a name like ${pattern}.`,
    ),
    ...absent(select.gpu, 'gpu.id', 'GPU type'),
    ...absent(select.dataCenter, 'dataCenterId', 'data center'),
  ];
}

/** The patterns that none of the members of any row matches. */
const unmatched = (
  patterns: readonly string[],
  subjects: readonly Subject[],
  members: readonly string[],
): readonly string[] =>
  patterns.filter((pattern) => {
    const isMatch = compileGlobs([pattern], 'match');
    return !subjects.some(({ row }) => members.some((member) => isMatch(wordAt(row, member))));
  });

const wordAt = (row: Json, member: string): string => stringAt(row, member) ?? '';
