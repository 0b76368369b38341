import { executionCost } from '../results/analysis.ts';
import type { Clock } from '../../core/context.ts';
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
      await new Promise<void>((resolve) => {
        const cancel = clock.deadline(interrupt.aborted ? 0 : MAX_PRICE_WAIT_MS, resolve);
        void requested.finally(cancel).then(resolve);
      });
      abort.abort(new Error('the batch has ended'));
    },
  };
}
