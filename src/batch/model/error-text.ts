import { encodeJson, type Json, memberAt, stringAt, stringOf } from '../../core/json.ts';
import { jobError } from '../../queue/job-error.ts';

/** Maximum length of an error text that is shown and grouped, in characters. */
export const MAX_ERROR_LENGTH = 200;

/** Returns the error of a result as one line; its status when it has no error. */
export const errorOf = (result: Json): string =>
  (jobError(result)?.headline ?? stringAt(result, 'status') ?? 'the job has no error message').slice(
    0,
    MAX_ERROR_LENGTH,
  );

/** Parts of an error that differ from job to job, in the order in which they are replaced. */
const VARIABLE_PARTS: readonly (readonly [RegExp, string])[] = [
  [/\b[a-z][a-z\d+.-]*:\/\/[^\s"'<>]+/gi, '<url>'],
  [/\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/gi, '<id>'],
  // A path has two separators at least: "and/or" is not one.
  [/(?<![\w<])(?:[A-Za-z]:)?(?:[/\\][\w.@+-]+){2,}[/\\]?/g, '<path>'],
  [/(?<![\w<])(?:[\w.@+-]+[/\\]){2,}[\w.@+-]+/g, '<path>'],
  [/\b0x[\da-f]+\b/gi, '<id>'],
  // Letters and digits mixed, such as a hash or the id of a job.
  [/\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{8,}\b/g, '<id>'],
  [/\d+(?:[.,:]\d+)*/g, '<n>'],
];

/** Returns an error with its numbers, ids, paths and addresses masked, so that errors of one kind are equal. */
export const errorPattern = (error: string): string =>
  VARIABLE_PARTS.reduce((text, [part, mask]) => text.replace(part, mask), error);

/**
 * Returns a function that returns whether the error of a result contains a text, without regard to case: in the whole
 * error, or in its pattern as a report shows it.
 */
export function errorMatcher(wanted: string): (result: Json) => boolean {
  const lower = wanted.toLowerCase();
  return (result) => {
    const error = memberAt(result, 'error');
    const whole = stringOf(error) ?? (error === undefined ? '' : encodeJson(error));
    return [whole, errorPattern(errorOf(result))].some((text) => text.toLowerCase().includes(lower));
  };
}
