import type { RunOptions } from '../run/run-state.ts';
import type { Context } from '../../core/context.ts';
import type { DollarRange } from '../../core/units.ts';
import type { InputSummary } from '../plan/check-inputs.ts';
import type { ExecutionCost } from './cost-meter.ts';
import type { RequestProblem } from '../run/request-health.ts';
import type { BatchFilePorts } from '../model/batch.ts';
import type { ItemCounts } from '../model/item-states.ts';

/** The parts of the Context that a batch uses, and a function. */
export interface BatchPorts
  extends BatchFilePorts, Pick<Context, 'batchApi' | 'clock' | 'random' | 'onSecondInterrupt'> {
  /** True for the local service in this process. */
  readonly local: boolean;
  /** Requests the price of a worker of the endpoint per hour; undefined when it is unknown. May fail. */
  readonly workerPrice: (endpointId: string, signal: AbortSignal) => Promise<DollarRange | undefined>;
}

/** Limits of a run, those of `RunOptions`; undefined ones have defaults. `maxTime` is its `timeoutMs`. */
export type BatchLimits = Readonly<
  Partial<Record<Exclude<keyof RunOptions, 'timeoutMs' | 'ttlMs'> | 'maxTime', number | undefined>>
>;

/** Callbacks for a view of a running batch. */
export interface BatchView {
  /** Called before the first request when a new batch was begun. */
  readonly onBegun?: (summary: InputSummary) => Promise<void>;
  /** Called when files were repaired or items set back: one sentence for each. */
  readonly onNotes: (notes: readonly string[]) => Promise<void>;
  /** Shows the progress until the signal is aborted. */
  readonly follow: (progress: () => BatchProgress, until: AbortSignal) => Promise<void>;
  /** Called after the first interrupt when requests are still pending. */
  readonly onFirstInterrupt: (pendingRequests: number) => void;
}

export interface BatchProgress {
  readonly counts: ItemCounts;
  readonly cost: ExecutionCost | undefined;
  readonly problem: RequestProblem | undefined;
}
