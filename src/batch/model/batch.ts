/** What the rooms of a batch have in common. */
import type { ItemCounts, Resubmittable } from './item-states.ts';
import { usage } from '../../core/failure.ts';
import { berth, type CommandLine, flags } from '../../core/message.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import type { JobOptions } from '../../queue/requests.ts';

export const LOCAL_SERVICE = 'the local service';

export interface BatchTarget {
  readonly endpoint: string;
  readonly endpointId: string;
  /** The queue API's address at the start of the batch, or `LOCAL_SERVICE`. */
  readonly service: string;
}

export interface RunLimits {
  readonly concurrency: number;
  /** Submissions per second. */
  readonly rate: number;
  readonly inFlight: number;
  /** Of this run: above it, no more items are sent. */
  readonly maxFailures: number;
  readonly maxTime: Milliseconds;
  readonly retryFailed: number;
}

/** Kept from run to run; undefined ones have defaults. */
export type BatchSettings = Readonly<
  Partial<Record<keyof RunLimits, number | undefined>> & Partial<Omit<JobOptions, 'webhook'>>
>;

export type Resubmit = readonly Resubmittable[];

/** By the monotonic clock of this process: not a date, and not valid in another process. */
export type MonotonicMs = number;

export interface KnownJob {
  readonly item: number;
  readonly job: string;
  /** JSON text of the label. */
  readonly id: string | undefined;
  readonly submittedAt: EpochMs;
  readonly retries: number;
}

export type StopReason = 'interrupt' | 'timeout' | 'failures' | 'error';

export interface Stopped {
  readonly reason: StopReason;
  readonly failure?: unknown;
}

export interface RunEnd {
  readonly counts: ItemCounts;
  /** Absent when nothing is left to do. */
  readonly stopped?: Stopped;
  readonly unordered?: boolean;
  /** Jobs that were accepted and could not be recorded. */
  readonly unrecorded: readonly Pick<KnownJob, 'item' | 'job'>[];
}

export interface BatchSummary extends Omit<BatchTarget, 'endpointId'> {
  /** The path of its results file. */
  readonly name: string;
  readonly invalid: number;
  readonly input: string;
  readonly counts: ItemCounts;
  readonly resubmitted: number;
  /** Items whose submission may or may not have been accepted. */
  readonly unknownItems: readonly number[];
  /** True when all items have ended and the results are not sorted yet. */
  readonly unordered: boolean;
  readonly resumable: boolean;
}

export interface BatchStatus extends BatchSummary {
  readonly state: 'running' | 'ended' | 'stopped';
  readonly holder: { readonly pid: number; readonly host: string } | undefined;
  readonly begunAt: EpochMs;
  readonly lastEndedAt: EpochMs | undefined;
  readonly shard: Shard | undefined;
  /** Of a sum of several. */
  readonly shards?: readonly BatchStatus[];
  readonly missingShards?: readonly number[];
}

export interface ResultLine {
  readonly item: number;
  readonly bytes: Uint8Array;
}

/** Every `of`-th item, from the `index`-th on (1 to `of`): one of several processes that share an input. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** Parses `I/N`. Fails with usage (2). */
export function parseShard(text: string, from: string): Shard {
  const [, index, of] = /^(\d{1,6})\/(\d{1,6})$/.exec(text.trim())?.map(Number) ?? [];
  if (index === undefined || of === undefined || index < 1 || index > of)
    throw usage(`${from} must be I/N, 1/N to N/N, not ${JSON.stringify(text)}`);
  return { index, of };
}

export const isInShard = (shard: Shard | undefined, item: number): boolean =>
  shard === undefined || (item - shard.index) % shard.of === 0;

/** A batch is named by its results file. `local`: it runs on the local service in this process. */
export const resumeLine = (local: boolean, results: string, ...more: readonly string[]): CommandLine =>
  berth`${flags(local ? ['--local'] : [])} jobs batch resume ${results} ${flags(more)}`;

export const batchStatusLine = (results: string): CommandLine => berth`jobs batch status ${results}`;
