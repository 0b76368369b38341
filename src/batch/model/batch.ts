import type { DurableFiles, StoredObject } from '../../core/context.ts';
import type { DollarRange } from '../../core/units.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import type { SourcePorts } from '../read/inputs.ts';
import type { Timeline } from './ends-over-time.ts';
import type { ItemCounts, Resubmittable } from './item-states.ts';
import type { KnownJob } from './run-end.ts';

/** What reading the files of a batch and its inputs needs. */
export interface BatchFilePorts extends SourcePorts {
  readonly durable: DurableFiles;
}

/** Where the items of a batch are sent. */
export interface BatchTarget {
  /** The endpoint as the user named it, and its id. */
  readonly endpoint: string;
  readonly endpointId: string;
  /** Address of the queue API at which the batch was begun, or `LOCAL_SERVICE`. */
  readonly service: string;
}

/** A file of a batch. */
export type BatchFile = Pick<StoredObject, 'address' | 'bytes'>;

/**
 * Asks the service for jobs that it did not have, and may have all the same. Returns the items whose jobs it has. Fails as the
 * requests do.
 */
export type FindJobs = (jobs: readonly Pick<KnownJob, 'item' | 'job'>[]) => Promise<ReadonlySet<number>>;

/** Which items are sent again. */
export interface Resubmit {
  readonly states: readonly Resubmittable[];
  /** Only those whose error contains this text; an unknown item has none. */
  readonly onlyError?: string | undefined;
}

/** What is known about every batch. */
export interface BatchSummary extends Omit<BatchTarget, 'endpointId'> {
  /** The path of its results file. */
  readonly name: string;
  /** Items of the input that cannot be sent. */
  readonly invalid: number;
  /** The inputs as they are called. */
  readonly input: string;
  readonly counts: ItemCounts;
  /** How often an item was sent again as a new job, because the user asked for it. */
  readonly resubmitted: number;
  /** Items whose submission may or may not have been accepted. */
  readonly unknownItems: readonly number[];
  /** True when all items have ended and the results are not sorted yet. */
  readonly unordered: boolean;
  /** True when there is something left to do for a resume. */
  readonly resumable: boolean;
}

/** The state of a batch according to its files. */
export interface BatchStatus extends BatchSummary {
  readonly state: 'running' | 'ended' | 'stopped';
  /** The process that works on it now. */
  readonly holder: { readonly pid: number; readonly host: string } | undefined;
  readonly begunAt: EpochMs;
}

export interface ResultLine {
  readonly item: number;
  readonly bytes: Uint8Array;
}

export interface BatchHistory {
  /** How often the service ran a job again. */
  readonly retried: number;
  /** When items ended. */
  readonly timeline: Timeline;
  /** Undefined while nothing has ended. */
  readonly lastEndedAt: EpochMs | undefined;
  /** The range of all known prices of a worker per hour. */
  readonly workerPrice: DollarRange | undefined;
}
