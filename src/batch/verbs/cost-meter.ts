import type { Clock } from '../../core/context.ts';
import type { DollarRange } from '../../core/units.ts';
import { executionCost } from '../results/report/batch-analysis.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

/** Cost of the jobs that ended while this process ran the batch, without idle and starting workers. */
export interface ExecutionCost extends DollarRange {
  /** True when the batch was resumed: jobs that ended earlier are not included. */
  readonly sinceResume: boolean;
}

/** Maximum time that the end of a batch waits for the price. */
const MAX_PRICE_WAIT_MS: Milliseconds = 1000;

/**
 * Measures the cost of a batch. `requestPrice` asks for the price of a worker per hour; when it fails, the cost stays
 * unknown. `onPrice` is called with the price, but never after `close`. `interrupt` skips the wait at the end.
 */
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
    /** Call it with the time that a worker ran a job. */
    onExecuted: (milliseconds: number): void => {
      executionMs = (executionMs ?? 0) + milliseconds;
    },
    /** Returns undefined while the price or an execution time is unknown. */
    total: (): ExecutionCost | undefined =>
      perHour === undefined || executionMs === undefined
        ? undefined
        : { ...executionCost(perHour, executionMs), sinceResume },
    /** Waits briefly for a price that was requested, then aborts the request. */
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
