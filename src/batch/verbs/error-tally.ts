import { EXIT } from '../../core/exit-codes.ts';
import type { Failure } from '../../core/failure.ts';
import type { Json } from '../../core/json.ts';
import { errorOf, MAX_ERROR_LENGTH } from '../model/error-text.ts';
import type { EndEvent } from '../model/item-states.ts';
import { createFailureGroups } from '../results/report/failure-groups.ts';

/** Errors that are the same except for numbers, ids, paths and addresses, and the number of items that had one of them. */
interface CommonError {
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

/** Groups of errors alone, whatever they ended. */
const createErrorGroups = () => createFailureGroups<'', Pick<CommonError, 'error'>>();

/** Counts the errors of the items that ended during this run. */
export function createErrorTally() {
  const [errors, unknown] = [createErrorGroups(), createErrorGroups()];
  let [failedJobs, refused, expiredRetries] = [0, 0, 0];
  let refusedRetries: RefusedRetries | undefined;
  return {
    onEnded: (event: EndEvent, document: Json): void => {
      if (event.kind === 'refuse') refused += 1;
      else if (event.ending === 'failed' || event.ending === 'timedOut') failedJobs += 1;
      else return;
      errors.add('', { error: errorOf(document) });
    },
    onUnknown: ({ message }: Failure): void => {
      unknown.add('', { error: message.slice(0, MAX_ERROR_LENGTH) });
    },
    onNotRetried: (failure: Failure): void => {
      if (failure.exit === EXIT.notFound) expiredRetries += 1;
      else refusedRetries = { count: (refusedRetries?.count ?? 0) + 1, failure };
    },
    totals: () => ({
      /** Jobs that failed or timed out. */
      failedJobs,
      /** Submissions that the service refused. */
      refused,
      /** The most frequent error of failed and refused items; undefined when there is none. */
      commonestError: mostFrequent(errors),
      /** The most frequent reason why the outcome of a submission is unknown; undefined when there is none. */
      unknownReason: mostFrequent(unknown)?.error,
      /** Jobs that could not be retried because the service does not have them any more. */
      expiredRetries,
      /** Jobs that could not be retried for another reason. */
      refusedRetries,
    }),
  };
}

export type ErrorTotals = ReturnType<ReturnType<typeof createErrorTally>['totals']>;

/** The error of the largest group; its pattern where the texts differ. */
function mostFrequent(groups: ReturnType<typeof createErrorGroups>): CommonError | undefined {
  const [group] = groups.summary().groups;
  const [example, ...others] = group?.examples ?? [];
  if (group === undefined || example === undefined) return undefined;
  return { error: others.length === 0 ? example.error : group.pattern, count: group.count };
}
