import type { Clock } from '../../core/context.ts';
import type { Failure } from '../../core/failure.ts';
import type { Json } from '../../core/json.ts';
import { createDesk, type Desk, type EndEvent, type RunOptions, type StopReason } from './run-state.ts';
import type { BadItem, Item } from '../input/item.ts';
import type { JobIds } from '../store/items/job-ids.ts';
import type { Journal } from '../store/journal/journal.ts';
import { addsUp, type Accounting, type Ledger } from '../store/items/item-states.ts';
import { budgeted, createPace, KNOWN_LIMITS, type Pace } from './send-rate.ts';
import type { PastJob } from '../store/journal/replay.ts';
import type { Results } from '../store/results/results-file.ts';
import type { RateWindow } from '../../core/api.ts';
import { createRounds, NEVER } from './scheduler.ts';
import { createSender } from './submitter.ts';
import { createSupply } from '../input/item-queue.ts';
import { createWatcher } from './poller.ts';
import type { Wire } from './queue-client.ts';

/** Everything a run works with; nothing else is reached for. */
export interface RunParts {
  readonly options: RunOptions;
  readonly ledger: Ledger;
  readonly jobIds: JobIds;
  readonly journal: Journal;
  readonly results: Results;
  /** The input from its beginning; what is not waiting is passed over. */
  readonly items: AsyncGenerator<Iterable<Item | BadItem>>;
  /** Jobs that the service has, and jobs that are to be run again. */
  readonly jobs: Iterable<PastJob>;
  readonly failed: Iterable<PastJob>;
  readonly wire: Wire;
  readonly clock: Clock;
  readonly random: () => number;
  /** The user's interrupt: what is on the wire is still heard, and nothing new goes out. */
  readonly interrupt: AbortSignal;
  /** Handed what takes the rate windows of answers. */
  readonly onReady?: (takeWindows: (windows: readonly RateWindow[]) => void) => void;
  /** Told how long a worker ran each job that ended: milliseconds, where the service says so. */
  readonly onExecuted?: (milliseconds: number) => void;
  /** Told of each request that did what it should, or, with its failure, that did not. */
  readonly onRequest?: (failure: Failure | undefined) => void;
  /** Told of each submission of which nobody knows whether it was taken. */
  readonly onLost?: (failure: Failure) => void;
  /** Told of each item that ended, with what was written of it. */
  readonly onEnded?: (event: EndEvent, document: Json) => void;
  /** Told why a job that had failed could not be run again. */
  readonly onUnretried?: (refusal: Failure) => void;
}

/** How a run ended. */
export interface RunEnd {
  readonly accounting: Accounting;
  /** Absent where there is nothing left to do. */
  readonly stopped?: { readonly reason: StopReason; readonly failure?: unknown };
  /** Results that were written twice, the second time after a retry. */
  readonly revived: number;
  /** Only the order of the results is left to do. */
  readonly unordered?: boolean;
  readonly unwritten: Desk['unwritten'];
}

/**
 * Sends what waits and fetches what ends, until nothing is left or something stops it. Journal and results are on the
 * disk when it returns, and it never fails: what went wrong is part of how it ended.
 */
export async function runBatch(parts: RunParts): Promise<RunEnd> {
  const { options, clock, ledger, interrupt } = parts;
  const rounds = createRounds(clock);
  const desk = createDesk({ ...parts, paces: pacesOf(options, clock.monotonic()), wake: rounds.ring });
  let underWay = 0;
  const over = (): void => {
    underWay -= 1;
    rounds.ring();
  };
  const failed = (error: unknown): void => {
    desk.stop('trouble', 'at-once', error);
    over();
  };
  const guard = (work: Promise<void>): void => {
    underWay += 1;
    work.then(over, failed);
  };

  const supply = createSupply(parts.items, ({ number }) => ledger.stateOf(number) === 'waiting', rounds.ring);
  const watcher = createWatcher(desk, guard, parts.onUnretried);
  const sender = createSender(desk, supply, guard, ({ number, id }, job, at) => {
    watcher.watch({ item: number, job, id, retries: 0 }, at);
  });
  const begun = clock.monotonic();
  for (const job of parts.jobs) {
    // Dates of another process: the wall clock may have been set since, in either direction.
    // eslint-disable-next-line no-restricted-syntax -- a date of the journal
    watcher.watch(job, begun - Math.max(0, clock.now() - job.submittedAt));
  }
  for (const job of parts.failed) watcher.revive(job);
  parts.onReady?.((windows) => {
    desk.paces.submit = budgeted(desk.paces.submit, windows, clock.monotonic());
    desk.paces.look = budgeted(desk.paces.look, windows, clock.monotonic());
  });

  const onInterrupt = (): void => {
    desk.stop('interrupt', 'at-once');
  };
  interrupt.addEventListener('abort', onInterrupt, { once: true });
  if (interrupt.aborted) onInterrupt();

  const isDone = (): boolean => {
    if (underWay > 0) return false;
    if (!desk.looking()) return true;
    const settled = ledger.count('submitted') === 0 && watcher.reviving === 0;
    return settled && ledger.count('sending') === 0 && (!desk.sending() || supply.empty);
  };
  try {
    await rounds.run(() => {
      // Looks come first: results are kept for a while only, inputs wait as long as it takes.
      const now = clock.monotonic();
      const leftMs = begun + options.timeoutMs - now;
      if (leftMs <= 0 && desk.looking()) desk.stop('timeout', 'at-once');
      const lookInMs = watcher.go() ?? NEVER;
      const sendInMs = attempt(() => sender.go(now), desk) ?? NEVER;
      return isDone() ? undefined : Math.min(lookInMs, sendInMs, leftMs > 0 ? leftMs : NEVER);
    });
  } finally {
    interrupt.removeEventListener('abort', onInterrupt);
    await supply.close();
  }
  await Promise.all([parts.journal.idle(), parts.results.idle()]);
  const accounting = ledger.accounting();
  if (!addsUp(accounting)) throw new Error('the accounting of a batch does not add up');
  const stopped = desk.stopped();
  return {
    accounting,
    ...(stopped === undefined ? {} : { stopped }),
    revived: watcher.revived,
    unwritten: desk.unwritten,
  };
}

/**
 * Trouble with the input, met while taking an item: nothing more is sent, and what was sent is fetched. A resume needs the
 * input as it was, and it may be gone.
 */
function attempt(go: () => number | undefined, desk: Desk): number | undefined {
  try {
    return go();
  } catch (error) {
    desk.stop('trouble', 'when-ended', error);
    return undefined;
  }
}

function pacesOf({ concurrency, rate }: RunOptions, now: number): { submit: Pace; look: Pace } {
  // Looks have limits of their own, twice those of submissions.
  const looks = Math.max(KNOWN_LIMITS.status.rate, 2 * rate);
  return { submit: createPace({ concurrency, rate }, now), look: createPace({ concurrency, rate: looks }, now) };
}
