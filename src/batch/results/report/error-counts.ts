import { EXIT } from '../../../core/exit-codes.ts';
import type { Failure } from '../../../core/failure.ts';
import type { Json } from '../../../core/json.ts';
import type { EndEvent } from '../../model/item-states.ts';
import { errorOf, errorPattern, MAX_ERROR_LENGTH } from '../../model/error-text.ts';

/** Errors that are the same except for numbers, ids, paths and addresses, and the number of items that had one of them. */
export interface CommonError {
  /** The text; its pattern, such as `no model at <path>`, where the texts differ. */
  readonly error: string;
  readonly count: number;
}

/** Jobs that the service refused to retry. */
export interface RefusedRetries {
  readonly count: number;
  /** The reason of the latest one. */
  readonly failure: Failure;
}

/** Maximum number of different patterns that are counted, so that memory is limited. */
const MAX_ERRORS = 500;

/** Counts the errors of the items that ended during this run. */
export function createErrorTally() {
  const errors = createCounter();
  const unknown = createCounter();
  let [failedJobs, refused, expiredRetries] = [0, 0, 0];
  let refusedRetries: RefusedRetries | undefined;
  return {
    onEnded: (event: EndEvent, document: Json): void => {
      if (event.kind === 'refuse') refused += 1;
      else if (event.ending === 'failed' || event.ending === 'timedOut') failedJobs += 1;
      else return;
      errors.add(errorOf(document));
    },
    onUnknown: ({ message }: Failure): void => {
      unknown.add(message.slice(0, MAX_ERROR_LENGTH));
    },
    onNotRetried: (failure: Failure): void => {
      if (failure.exit === EXIT.notFound) expiredRetries += 1;
      else refusedRetries = { count: (refusedRetries?.count ?? 0) + 1, failure };
    },
    /** Jobs that failed or timed out. */
    failedJobs: (): number => failedJobs,
    /** Submissions that the service refused. */
    refused: (): number => refused,
    /** The most frequent error of failed and refused items; undefined when there is none. */
    mostFrequent: errors.mostFrequent,
    /** The most frequent reason why the outcome of a submission is unknown; undefined when there is none. */
    mostFrequentUnknown: unknown.mostFrequent,
    /** Jobs that could not be retried because the service does not have them any more. */
    expiredRetries: (): number => expiredRetries,
    /** Jobs that could not be retried for another reason. */
    refusedRetries: (): RefusedRetries | undefined => refusedRetries,
  };
}

export type ErrorTally = ReturnType<typeof createErrorTally>;

function createCounter() {
  const byPattern = new Map<string, { error: string; count: number }>();
  return {
    add: (error: string): void => {
      const pattern = errorPattern(error);
      const group = byPattern.get(pattern);
      if (group === undefined) {
        if (byPattern.size < MAX_ERRORS) byPattern.set(pattern, { error, count: 1 });
        return;
      }
      group.count += 1;
      if (group.error !== error) group.error = pattern;
    },
    mostFrequent: (): CommonError | undefined => {
      let found: CommonError | undefined;
      for (const group of byPattern.values()) if (group.count > (found?.count ?? 0)) found = group;
      return found;
    },
  };
}
