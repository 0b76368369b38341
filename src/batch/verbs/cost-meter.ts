import type { EndEvent } from '../model/item-states.ts';
import { errorOf, MAX_ERROR_LENGTH } from '../model/result-line.ts';
import { createFailureGroups, executionCost } from '../results/analysis.ts';
import type { Clock } from '../../core/context.ts';
import type { Failure } from '../../core/failure.ts';
import type { Json } from '../../core/json.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import type { DollarRange } from '../../core/units.ts';

/** Of jobs that ended in this process, without idle and starting workers. */
export interface ExecutionCost extends DollarRange {
  /** Jobs that ended before the resume are not included. */
  readonly sinceResume: boolean;
}

/** The end of a batch waits this long for the price. */
const MAX_PRICE_WAIT_MS: Milliseconds = 1000;

/** `onPrice` is never called after `close`. `interrupt` skips the wait at the end. */
export function createCostMeter(
  clock: Clock,
  interrupt: AbortSignal,
  requestPrice: (signal: AbortSignal) => Promise<DollarRange | undefined>,
  sinceResume: boolean,
  onPrice: (perHour: DollarRange) => void,
) {
  const abort = new AbortController();
  let perHour: DollarRange | undefined;
  let executionMs: number | undefined;
  const requested = requestPrice(abort.signal).then(
    (price) => {
      perHour = price;
      if (price !== undefined && !abort.signal.aborted) onPrice(price);
    },
    () => undefined,
  );
  return {
    onExecuted: (milliseconds: number): void => {
      executionMs = (executionMs ?? 0) + milliseconds;
    },
    /** Undefined while the price or an execution time is unknown. */
    total: (): ExecutionCost | undefined =>
      perHour === undefined || executionMs === undefined
        ? undefined
        : { ...executionCost(perHour, executionMs), sinceResume },
    /** Waits briefly for a requested price, then aborts the request. */
    close: async (): Promise<void> => {
      const deadline = clock.deadline(interrupt.aborted ? 0 : MAX_PRICE_WAIT_MS);
      const expired = new Promise((resolve) => {
        deadline.signal.addEventListener('abort', resolve);
      });
      await Promise.race([requested, expired]);
      deadline.cancel();
      abort.abort(new Error('the batch has ended'));
    },
  };
}

/** Same except for numbers, ids, paths and addresses. */
interface CommonError {
  /** Its pattern, such as `no model at <path>`, where the texts differ. */
  readonly error: string;
  readonly count: number;
}

interface RefusedRetries {
  readonly count: number;
  readonly failure: Failure;
}

const createErrorGroups = () => createFailureGroups<'', Pick<CommonError, 'error'>>();

export function createErrorTally() {
  const [errors, unknown] = [createErrorGroups(), createErrorGroups()];
  let [failedJobs, refused] = [0, 0];
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
      refusedRetries = { count: (refusedRetries?.count ?? 0) + 1, failure };
    },
    totals: () => ({
      /** Jobs that failed or timed out. */
      failedJobs,
      refused,
      /** Of failed and refused items; undefined when there is none. */
      commonestError: mostFrequent(errors),
      /** Why the outcome of a submission is unknown; undefined when there is none. */
      unknownReason: mostFrequent(unknown)?.error,
      refusedRetries,
    }),
  };
}

export type ErrorTotals = ReturnType<ReturnType<typeof createErrorTally>['totals']>;

function mostFrequent(groups: ReturnType<typeof createErrorGroups>): CommonError | undefined {
  const [group] = groups.summary().groups;
  const [example, ...others] = group?.examples ?? [];
  if (group === undefined || example === undefined) return undefined;
  return { error: others.length === 0 ? example.error : group.pattern, count: group.count };
}
