import type { Json } from '../../core/json.ts';
import type { EndEvent, ItemEvent } from './items/item-state-machine.ts';
import type { ItemStates } from './items/item-states.ts';
import type { EventData } from './file/journal/record.ts';
import type { JournalJob } from './file/journal/replay.ts';
import type { LineOwner } from './file/results/results-file.ts';

/**
 * The books of a batch as one run uses them: the state of each item, and what happened to it. The journal beside the
 * results and a PostgreSQL database implement them. A shared store can lose an item to another driver: its state is then
 * `unknown`, and events of it are ignored.
 */
export interface Books {
  readonly states: Pick<ItemStates, 'stateOf' | 'count' | 'counts'>;
  /** Jobs that failed or timed out in an earlier run, when they are to be retried. */
  readonly failed: readonly JournalJob[];
  /** Jobs that the service did not have in an earlier run, and may have all the same. */
  readonly expired: readonly JournalJob[];
  /** Begins to call the listener. Call it once. */
  open(listener: BooksListener): void;
  /**
   * Identifies the time for which this run has the item. It changes when another driver had the item meanwhile: an
   * intent of before must not be sent then.
   */
  tenureOf(item: number): number;
  /** True while submissions may be sent: a driver without a valid lease must wait. */
  maySend(): boolean;
  /** Applies an event and records it. Resolves when the record is durable. Records that are written together share the promise. */
  record(item: number, event: ItemEvent, data?: EventData): Promise<void>;
  /** Takes back an intent whose record failed: no request was sent for it. Records nothing. */
  forgetIntent(item: number): void;
  /** Keeps the result of an item, and then records the event that ends it. */
  saveResult(owner: LineOwner, document: Json, event: EndEvent): Promise<void>;
  /** Returns false when another job of the batch has this id. */
  addJobId(id: string): boolean;
  /** Resolves when no write is pending. */
  idle(): Promise<void>;
}

/** What the books tell the run. */
export interface BooksListener {
  /** Called with the jobs that the service has already: those of earlier runs, and those of a driver that ended. */
  readonly onJobs: (jobs: readonly JournalJob[]) => void;
  /** Called when `maySend` or the counts changed for another reason than an event of this run. */
  readonly onChange: () => void;
  /** Called when the batch was cancelled: nothing more is sent. */
  readonly onCancelled: () => void;
  /** Called when the books cannot be kept any more. */
  readonly onFailure: (error: unknown) => void;
}
