import type { Outage } from './outage.ts';
import type { CommandLine } from '../../core/message.ts';
import type { Clock, DurableFiles, ObjectStorage } from '../../core/context.ts';
import type { DollarRange } from '../../core/units.ts';
import type { BatchPlan, InputSummary } from '../read/batch-plan.ts';
import type { BatchInputs, OpenedInputs } from '../read/inputs.ts';
import type { PlannedRange } from '../read/range.ts';
import type { Timeline } from './ends-over-time.ts';
import type { ItemCounts, Resubmittable } from './item-states.ts';
import type { KnownJob, Paces, RangeClaims, RunEnd, RunRecords } from './run-records.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';

/** What a store uses of the Context. */
export interface StorePorts {
  readonly durable: DurableFiles;
  /** Inputs and results by address. */
  readonly storage: ObjectStorage;
  /** True while the storage waits for new credentials. */
  readonly isStorageWaiting: () => boolean;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly onSecondInterrupt: (listener: () => void) => () => void;
  /** Words that name a batch on a command line: the path of its results, or its name and its store. */
  readonly reference: (name: string) => readonly string[];
  /** Returns the command line that resumes a batch, for hints. */
  readonly resumeCommand: (name: string) => CommandLine;
}

/** Where batches are kept: a journal beside each results file, or a database that several machines share. */
export interface Store {
  /** Checks where a new batch is to be, and writes nothing. Fails with usage (2) and local-file (14) when it cannot be there. */
  place(wanted: WantedPlace): Promise<Place>;
  /** Finds a batch by its name. Fails with local-file (14) or not-found (4) when there is none. */
  open(name: string): Promise<Batch>;
  /** The batches of the store; of a folder, where a store is files. */
  list(folder: string): AsyncIterable<ListedBatch>;
}

export interface WantedPlace {
  /** Undefined where the results name the batch. */
  readonly name: string | undefined;
  readonly out: string;
  /** True for an input that can be read only once: it is copied. */
  readonly copiesInput: boolean;
}

/** A place where a new batch can be. */
interface Place {
  readonly name: string;
  /**
   * Creates the batch with what `prepare` returns. `copy` writes an input that can be read only once to where every driver
   * reads it, and returns its address. Fails as `prepare` does; then nothing is left.
   */
  create(prepare: (copy: CopyInput) => Promise<NewBatch>): Promise<CreatedBatch>;
}

export type CopyInput = (chunks: AsyncIterable<Uint8Array>, format: string) => Promise<string>;

/** Where the items of a batch are sent. */
export interface BatchTarget {
  /** The endpoint as the user named it, and its id. */
  readonly endpoint: string;
  readonly endpointId: string;
  /** Address of the queue API at which the batch was begun, or `LOCAL_SERVICE`. */
  readonly service: string;
}

export interface NewBatch extends BatchTarget {
  /** The inputs as the user named them. */
  readonly input: string;
  readonly plan: BatchPlan;
  /** True to put the results in the order of the input when all items have ended. */
  readonly ordered: boolean;
  readonly compression: PartCompression;
}

/** How the results of a shared batch are compressed. */
export type PartCompression = 'none' | 'gzip';

/** What is always known of a batch. */
export interface BatchFacts extends BatchTarget {
  /** The path of its results file; the name of a shared batch. */
  readonly name: string;
  /** Words that name it on a command line. */
  readonly reference: readonly string[];
  /** Items of the input that cannot be sent. */
  readonly invalid: number;
  readonly createdAt: EpochMs;
}

export interface CreatedBatch extends BatchFacts {
  readonly summary: InputSummary;
  /** The address of the copy of the input, where another driver must reach it. */
  readonly copy: string | undefined;
  drive(options: DriveOptions): Promise<Session>;
}

/** A batch of a store. */
export interface Batch extends BatchFacts {
  readonly cancelled: boolean;
  status(): Promise<BatchStatus>;
  /** Reads what is stored now, also while drivers work. Fails with local-file (14) when results are missing or changed. */
  read(): Promise<StoredBatchResults>;
  /** Takes the batch, or a part of it, to work on it. Fails with local-file (14) when its files are not as they were. */
  drive(options: DriveOptions): Promise<Session>;
  /** Absent in a store without the capability `sharing`. */
  readonly sharing?: Sharing | undefined;
  /** All that the batch has, its results too. Fails with usage (2) while a driver works on it. */
  contents(): Promise<readonly StoredFile[]>;
  /** Removes the batch with its files. Fails with usage (2) while a driver works on it, or when it has other ones than these. */
  remove(contents: readonly StoredFile[]): Promise<void>;
}

/** What several drivers of a batch need. */
interface Sharing {
  /** Nothing more is sent. */
  cancel(): Promise<void>;
  /** What was written for the batch and is no part of it. */
  leftovers(): Promise<readonly StoredFile[]>;
  /** Removes leftovers, except those that a driver may use after all. Returns what was removed. */
  clean(found: readonly StoredFile[]): Promise<readonly StoredFile[]>;
}

/** A file or an object of a batch. */
export interface StoredFile {
  readonly address: string;
  readonly bytes: number;
}

/** How a batch is driven. */
export interface DriveOptions {
  /** For how long a driver has its ranges without contact to the store. */
  readonly leaseMs: Milliseconds;
  /** Submissions a second of all drivers, at most. */
  readonly rate: number | undefined;
  /** What a resume asks for; undefined for another driver that joins. */
  readonly resume: ResumeOptions | undefined;
}

export interface ResumeOptions {
  /** Where the inputs are, when they were moved: all of them, in the order of the batch. */
  readonly input: readonly string[];
  readonly resubmit: Resubmit | undefined;
  readonly findJobs: FindJobs;
  /** True to run jobs again that failed or timed out in an earlier run. */
  readonly wantFailed: boolean;
}

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

/** A batch that this process works on. */
export interface Session {
  readonly input: string;
  /** JSON text of the members that every submission has beside its input. */
  readonly extras: string;
  readonly records: RunRecords;
  readonly claims: RangeClaims;
  readonly inputs: OpenedInputs;
  /** The rates that all drivers share; absent where nothing is shared. */
  readonly paces?: Paces | undefined;
  /** What the run waits for now; undefined while it waits for nothing, and where there is nothing to wait for. */
  readonly outage?: (() => Outage | undefined) | undefined;
  readonly before: ItemCounts;
  /** What was repaired or set back: one sentence each. */
  readonly notes: readonly string[];
  /** Keeps the price of a worker per hour. */
  readonly recordPrice: (perHour: DollarRange) => void;
  /** Called after the run, before the view is closed. Returns how the run ended. */
  readonly finish: (end: RunEnd) => Promise<RunEnd>;
  /** Called at the end in any case. */
  readonly close: () => Promise<void>;
  /** How the batch is after the run. */
  readonly account: (end: RunEnd) => Promise<SessionAccount>;
}

export interface SessionAccount extends Pick<BatchSummary, 'counts' | 'unknownItems' | 'resubmitted'> {
  readonly expiredItems: readonly number[];
  /** True when a resume would ask once more for some of these: the service may have their jobs. */
  readonly expiredMayBeThere: boolean;
  /** Files that were written for the batch and are no part of it; 0 where the storage could not be asked. */
  readonly unpublished: number;
  /** Jobs of earlier runs that this one could run again; undefined where a store does not know them. */
  readonly retryableBefore: number | undefined;
}

/** What is known about every batch. */
export interface BatchSummary extends Omit<BatchFacts, 'endpointId' | 'createdAt'> {
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

/** The state of a batch according to its store. */
export interface BatchStatus extends BatchSummary {
  readonly state: 'running' | 'ended' | 'stopped' | 'cancelled';
  /** The process that runs a batch of files now. */
  readonly holder?: { readonly pid: number; readonly host: string } | undefined;
  /** What a batch of several drivers has besides. */
  readonly shared?: SharedStatus | undefined;
  readonly begunAt: EpochMs;
}

/** A batch in a list. `status` fails as `Store.open` does where the batch is broken, or was removed meanwhile. */
export interface ListedBatch {
  readonly name: string;
  readonly status: () => Promise<BatchStatus>;
}

interface SharedStatus {
  /** The folder or prefix of its parts. */
  readonly out: string;
  /** Number of processes that work on it. */
  readonly drivers: number;
  /** Who has the shards that were begun and are not done. */
  readonly holders: readonly ShardHolder[];
  readonly shards: number;
  readonly doneShards: number;
  /** True when `planned` is the sum of all counts. */
  readonly holds: boolean;
}

/**
 * A driver and the shards that it has or had: it is `working`; it is `silent` when it has missed a renewal of its lease, and
 * the shards wait for the end of that; `gone` when the lease has ended; `left` are shards that drivers gave up at their end.
 */
export interface ShardHolder {
  readonly state: 'working' | 'silent' | 'gone' | 'left';
  /** Unknown for `left`, and for a driver of an earlier version. */
  readonly process: { readonly pid: number; readonly host: string } | undefined;
  /** The last contact with the store, by the clock of the database. */
  readonly contactAt: EpochMs | undefined;
  /** By the same clock. */
  readonly leaseEndsAt: number;
  readonly count: number;
  /** The first of the shards. */
  readonly shards: readonly number[];
}

/** The results of a batch as they are stored, and its history. */
export interface StoredBatchResults {
  readonly status: BatchStatus;
  /** Absolute addresses of what belongs to the batch: no export replaces it. */
  readonly files: readonly string[];
  readonly history: BatchHistory;
  /** One line for each item that has ended: its last one. `in-order` in the order of the input. */
  lines(order: 'as-stored' | 'in-order'): AsyncGenerator<Iterable<ResultLine>>;
  /** Finds the inputs, which are where they were or were moved, and compares them. Fails with usage (2). */
  inputs(moved: readonly string[]): Promise<LocatedInputs>;
}

export interface ResultLine {
  readonly item: number;
  readonly bytes: Uint8Array;
}

export interface LocatedInputs extends BatchInputs {
  readonly ranges: AsyncIterable<PlannedRange> | Iterable<PlannedRange>;
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
