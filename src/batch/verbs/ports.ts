import type { InputPorts } from '../read/inputs.ts';
import type { Context } from '../../core/context.ts';
import type { DollarRange } from '../../core/units.ts';
import type { InputSummary } from '../read/check-inputs.ts';
import type { ExecutionCost } from './cost-meter.ts';
import type { ItemCounts } from '../model/item-states.ts';
import type { MonotonicMs } from '../model/run-end.ts';

export interface BatchPorts extends InputPorts, Pick<Context, 'batchApi' | 'clock' | 'random' | 'onSecondInterrupt'> {
  readonly local: boolean;
  /** Per hour; undefined when it is unknown. May fail. */
  readonly workerPrice: (endpointId: string, signal: AbortSignal) => Promise<DollarRange | undefined>;
}

export interface BatchView {
  /** Called before the first request of a new batch. */
  readonly onBegun?: (summary: InputSummary) => Promise<void>;
  /** One sentence for each repaired file or for items set back. */
  readonly onNotes: (notes: readonly string[]) => Promise<void>;
  readonly follow: (progress: () => BatchProgress, until: AbortSignal) => Promise<void>;
  /** Only when requests are still pending. */
  readonly onFirstInterrupt: (pendingRequests: number) => void;
}

export interface BatchProgress {
  readonly counts: ItemCounts;
  readonly cost: ExecutionCost | undefined;
  /** No request has succeeded since then. */
  readonly problem: { readonly failingSince: MonotonicMs; readonly message: string } | undefined;
}
