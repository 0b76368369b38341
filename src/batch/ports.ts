import type { CommandLine } from '../core/message.ts';
import type { Context, DurableFiles, ObjectStorage } from '../core/context.ts';
import type { DollarRange } from '../core/units.ts';
import type { InputSummary } from './plan/check-input.ts';
import type { BatchProgress } from './results/report/report-types.ts';

/** The parts of the Context that a batch uses, and two functions. */
export interface BatchPorts extends Pick<Context, 'clock' | 'random' | 'signal' | 'batchApi' | 'onSecondInterrupt'> {
  readonly durable: DurableFiles;
  /** Inputs by address. */
  readonly storage: ObjectStorage;
  /** True while the storage waits for new credentials. */
  readonly isStorageWaiting: () => boolean;
  /** Requests the price of a worker of the endpoint per hour; undefined when it is unknown. May fail. */
  readonly workerPrice: (endpointId: string, signal: AbortSignal) => Promise<DollarRange | undefined>;
  /** Returns the command line that resumes a batch, for hints. */
  readonly resumeCommand: (results: string) => CommandLine;
}

/** Limits of a run; undefined ones have defaults. */
export interface BatchLimits {
  /** Maximum concurrent requests. */
  readonly concurrency?: number | undefined;
  /** Maximum number of submissions per second. */
  readonly rate?: number | undefined;
  /** Maximum number of jobs that are queued or running at the service. */
  readonly inFlight?: number | undefined;
  /** When more items than this did not complete, no more are sent. */
  readonly maxFailures?: number | undefined;
  /** The run stops after this time, in milliseconds. */
  readonly maxTime?: number | undefined;
  /** Maximum number of retries of a job that failed or timed out. */
  readonly retryFailed?: number | undefined;
}

/** Callbacks for a view of a running batch. */
export interface BatchView {
  /** Called before the first request when a new batch was begun. */
  readonly onInputChecked?: (summary: InputSummary) => Promise<void>;
  /** Called when files were repaired: one sentence for each repair. */
  readonly onRepaired?: (repairs: readonly string[]) => Promise<void>;
  /** Shows the progress until the signal is aborted. */
  readonly follow: (progress: () => BatchProgress, until: AbortSignal) => Promise<void>;
  /** Called after the first interrupt when requests are still pending. */
  readonly onDraining: (pendingRequests: number) => void;
}
