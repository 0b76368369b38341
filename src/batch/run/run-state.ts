import type { Clock } from '../../core/context.ts';
import type { Failure } from '../../core/failure.ts';
import type { JobIds } from '../store/items/job-ids.ts';
import type { Journal } from '../store/journal/journal.ts';
import type { Ledger } from '../store/items/item-states.ts';
import type { Ending, ItemEvent } from '../store/items/item-state-machine.ts';
import { borrowedWait, LONGEST_ASKED_MS, struck, type Pace } from './send-rate.ts';
import { learned, NO_EXPERIENCE, type Experience } from './poll-schedule.ts';
import type { EventFacts } from '../store/journal/record.ts';
import { resultLine, type LineOwner, type Results } from '../store/results/results-file.ts';
import type { Json } from '../../core/json.ts';
import type { Again, Wire } from './queue-client.ts';

/** How a batch is to be run. */
export interface RunOptions {
  /** Requests at once, and submissions a second, at most. */
  readonly concurrency: number;
  readonly rate: number;
  /** Jobs at the service at a time, at most. */
  readonly inFlight: number;
  /** Where more items than this did not complete, no more are sent. */
  readonly maxFailures: number;
  /** Milliseconds after which it stops where it stands. */
  readonly timeoutMs: number;
  /** How often a job that failed or timed out is tried again. */
  readonly retryFailed: number;
}

/** Why a batch stops before all is done. */
export type StopReason = 'interrupt' | 'timeout' | 'failures' | 'trouble';

/** What all who work on a batch share, and the only place where they meet. */
export interface Desk {
  readonly options: RunOptions;
  readonly ledger: Ledger;
  readonly jobIds: JobIds;
  readonly wire: Wire;
  readonly clock: Clock;
  readonly random: () => number;
  /** Submissions, and looks at jobs. */
  readonly paces: { submit: Pace; look: Pace };
  readonly experience: () => Experience;
  /** True while one request more may go out, of those that may be on the wire at once. */
  wireIsFree(): boolean;
  /** Takes down what happened; resolves when it is on the disk, with all that was taken down before. */
  record(item: number, event: ItemEvent, more?: EventFacts): Promise<void>;
  /** Writes an item's result, and then that it has ended. */
  conclude(owner: LineOwner, document: Json, event: EndEvent): Promise<void>;
  learn(turnaroundMs: number, executionMs: number | undefined): void;
  /** No more are sent; with `at-once`, no more looks either. The first reason counts. */
  stop(reason: StopReason, how: 'at-once' | 'when-ended', failure?: unknown): void;
  readonly stopped: () => { readonly reason: StopReason; readonly failure?: unknown } | undefined;
  /** May anything more be sent; may jobs be looked at. */
  readonly sending: () => boolean;
  readonly looking: () => boolean;
  /** Jobs that the service took and that could not be taken down: the disk refused. */
  readonly unwritten: { readonly item: number; readonly job: string }[];
  /** Something changed: whoever waits looks again. */
  wake(): void;
  /** A request did what it should. */
  worked(): void;
  /** A submission may or may not have been taken. */
  lost(failure: Failure): void;
  /** The service could not be reached, or lost a submission. */
  troubled(failure: Failure): void;
  /**
   * Slows everything after a request that went out at `sentAt`, in milliseconds of the monotonic clock, and came to nothing: its
   * own kind for as many milliseconds as the service asks, the other for less.
   */
  slow(kind: keyof Desk['paces'], sentAt: number, askedMs?: number): void;
  /** The same for one that may work later. Stops where the service asks for a wait that nobody can want. */
  putOff(kind: keyof Desk['paces'], again: Again, sentAt: number): void;
}

export interface DeskParts {
  readonly options: RunOptions;
  readonly ledger: Ledger;
  readonly jobIds: JobIds;
  readonly journal: Journal;
  readonly results: Results;
  readonly wire: Wire;
  readonly clock: Clock;
  readonly random: () => number;
  readonly paces: { submit: Pace; look: Pace };
  readonly wake: () => void;
  readonly onExecuted?: (milliseconds: number) => void;
  /** Told of each request that did what it should, or, with its failure, that did not. */
  readonly onRequest?: (failure: Failure | undefined) => void;
  /** Told of each submission of which nobody knows whether it was taken. */
  readonly onLost?: (failure: Failure) => void;
  /** Told of each item that ended, with what was written of it. */
  readonly onEnded?: (event: EndEvent, document: Json) => void;
}

/** How an item ended: its job, or the service would not have it. */
export type EndEvent = ItemEvent & { readonly kind: 'end' | 'refuse' };

/** So long, in milliseconds, a service may fail without one success before the batch stops. */
const PATIENCE_MS = 120_000;
/** And so many submissions in a row may be lost: each may have been taken. */
const MOST_LOST = 20;

export function createDesk(parts: DeskParts): Desk {
  const { options, ledger, journal, results, clock, random, paces, wake } = parts;
  let experience = NO_EXPERIENCE;
  let stopped: { readonly reason: StopReason; readonly failure?: unknown } | undefined;
  let sending = true;
  let looking = true;
  let troubleSince: number | undefined;
  let lost = 0;

  const stop: Desk['stop'] = (reason, how, failure) => {
    sending = false;
    if (how === 'at-once') looking = false;
    stopped ??= { reason, ...(failure === undefined ? {} : { failure }) };
    wake();
  };

  const record: Desk['record'] = (item, event, more = {}) => {
    if (!ledger.apply(item, event))
      throw new Error(`item ${String(item)} is ${ledger.stateOf(item)} and cannot ${event.kind}`);
    return journal.write({ kind: 'event', item, event, more });
  };

  const troubled = (failure: Failure): void => {
    const now = clock.monotonic();
    troubleSince ??= now;
    parts.onRequest?.(failure);
    lost += failure.code === 'outcome-unknown' ? 1 : 0;
    if (now - troubleSince > PATIENCE_MS || lost >= MOST_LOST) stop('trouble', 'at-once', failure);
  };

  const slow: Desk['slow'] = (kind, sentAt, askedMs) => {
    const now = clock.monotonic();
    const other = kind === 'submit' ? 'look' : 'submit';
    paces[kind] = struck(paces[kind], sentAt, now, askedMs, random());
    paces[other] = struck(paces[other], sentAt, now, borrowedWait(askedMs), random());
  };

  const notCompleted = (): number => {
    const { failed, cancelled, timedOut, expired } = ledger.accounting();
    return failed + cancelled + timedOut + expired;
  };

  return {
    ...parts,
    unwritten: [],
    wireIsFree: () => parts.wire.underWay < options.concurrency,
    experience: () => experience,
    record,
    conclude: async (owner, document, event) => {
      await record(owner.item, event, await results.put(resultLine(owner, document)));
      parts.onEnded?.(event, document);
      if (notCompleted() > options.maxFailures) stop('failures', 'when-ended');
    },
    learn: (turnaroundMs, executionMs) => {
      experience = learned(experience, turnaroundMs, executionMs);
      if (executionMs !== undefined) parts.onExecuted?.(executionMs);
    },
    stop,
    stopped: () => stopped,
    sending: () => sending,
    looking: () => looking,
    worked: () => {
      parts.onRequest?.(undefined);
      troubleSince = undefined;
      lost = 0;
    },
    lost: (failure) => {
      parts.onLost?.(failure);
      troubled(failure);
    },
    troubled,
    slow,
    putOff: (kind, { askedMs, throttled, failure }, sentAt) => {
      slow(kind, sentAt, askedMs);
      if ((askedMs ?? 0) > LONGEST_ASKED_MS) stop('trouble', 'at-once', failure);
      else if (!throttled) troubled(failure);
    },
  };
}

export const endEvent = (ending: Ending): ItemEvent & { kind: 'end' } => ({ kind: 'end', ending });
