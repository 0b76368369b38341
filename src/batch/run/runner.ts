import type { Clock } from '../../core/context.ts';
import type { Json } from '../../core/json.ts';
import type { ItemGroups } from '../read/items.ts';
import { createItemQueue, createSubmitter } from './submitter.ts';
import { isInShard, type KnownJob, type MonotonicMs, type RunEnd } from '../model/batch.ts';
import type { RunRecords } from '../store/open-batch.ts';
import { countsAddUp, type EndEvent, notCompleted } from '../model/item-states.ts';
import { createPoller } from './poller.ts';
import type { QueueClient } from './queue-client.ts';
import type { RequestRates } from './adaptive-rate.ts';
import {
  createFailureMonitor,
  createRunControl,
  type RunControl,
  type RunObserver,
  type RunOptions,
  type RunState,
} from './run-state.ts';

export interface RunParts {
  readonly records: RunRecords;
  readonly options: RunOptions;
  readonly rates: RequestRates;
  /** Items that are not waiting, or of another shard, are skipped. */
  readonly items: ItemGroups;
  readonly client: QueueClient;
  readonly clock: Clock;
  /** No more requests are sent, but answers to pending ones are still processed. */
  readonly interrupt: AbortSignal;
  readonly observer?: RunObserver;
}

/** Never fails: an error is the reason in `stopped`. No write is pending when it returns. */
export async function runItems(parts: RunParts): Promise<RunEnd> {
  const { options, clock, records, rates, interrupt, client, observer = {} } = parts;
  const { states } = records;
  const scheduler = createScheduler(clock);
  const control = createRunControl(scheduler.wake);
  const maxFailures = options.maxFailures + notCompleted(states.counts());
  const checkFailures = (event: EndEvent, document: Json): void => {
    observer.onEnded?.(event, document);
    if (maxFailures < Number.POSITIVE_INFINITY && notCompleted(states.counts()) > maxFailures)
      control.stop('failures', 'when-ended');
  };
  let running = 0;
  const onDone = (): void => {
    running -= 1;
    scheduler.wake();
  };
  const onError = (error: unknown): void => {
    control.stop('error', 'now', error);
    onDone();
  };
  const run: RunState = {
    clock,
    client,
    options,
    observer,
    records,
    endItem: async (owner, document, event) => {
      await records.saveResult(owner, document, event);
      checkFailures(event, document);
    },
    rates,
    control,
    monitor: createFailureMonitor(clock, control, observer.onRequest ?? (() => undefined), options.maxTime),
    start: (work) => {
      running += 1;
      work.then(onDone, onError);
    },
  };

  const isWanted = (item: number): boolean => isInShard(options.shard, item) && states.stateOf(item) === 'waiting';
  const items = createItemQueue(parts.items, isWanted, scheduler.wake);
  const poller = createPoller(run);
  const submitter = createSubmitter(run, items, ({ number, id }, job, at) => {
    poller.add({ item: number, job, id, retries: 0 }, at);
  });
  const started = clock.monotonic();
  /** The date is from another process, and the wall clock may have been changed in either direction since then. */
  const acceptedAt = ({ submittedAt }: KnownJob): MonotonicMs =>
    // oxlint-disable-next-line berth/no-wall-clock -- a date of the records
    clock.monotonic() - Math.max(0, clock.now() - submittedAt);
  for (const job of records.jobs) poller.add(job, acceptedAt(job));

  const onInterrupt = (): void => {
    control.stop('interrupt', 'now');
  };
  interrupt.addEventListener('abort', onInterrupt, { once: true });
  if (interrupt.aborted) onInterrupt();

  const isDone = (): boolean => {
    if (running > 0) return false;
    if (!control.mayPoll()) return true;
    const areAllEnded = states.count('submitted') === 0 && states.count('sending') === 0;
    return areAllEnded && (!control.maySubmit() || items.empty);
  };
  try {
    await scheduler.run(() => {
      const now = clock.monotonic();
      const leftMs = started + options.maxTime - now;
      if (leftMs <= 0 && control.mayPoll()) control.stop('timeout', 'now');
      // Poll before submitting: results expire, but inputs do not.
      const pollInMs = poller.step() ?? NEVER;
      const submitInMs = stopOnInputError(() => submitter.step(now), control) ?? NEVER;
      return isDone() ? undefined : Math.min(pollInMs, submitInMs, leftMs > 0 ? leftMs : NEVER);
    });
  } finally {
    interrupt.removeEventListener('abort', onInterrupt);
    await items.close();
  }
  await records.idle();
  const counts = states.counts();
  if (!countsAddUp(counts)) throw new Error('the counts of a batch do not add up');
  const stopped = control.stopped();
  return {
    counts,
    ...(stopped === undefined ? {} : { stopped }),
    unrecorded: submitter.unrecorded,
  };
}

/** Jobs are still polled to their end: a resume needs the input, and results may expire by then. */
function stopOnInputError(step: () => number | undefined, control: RunControl): number | undefined {
  try {
    return step();
  } catch (error) {
    control.stop('error', 'when-ended', error);
    return undefined;
  }
}

/** Only `wake` ends it. */
const NEVER = Number.POSITIVE_INFINITY;

/** One timer only: most delays end early by `wake`, and a timer for each would be slow. */
function createScheduler(clock: Clock) {
  let next: (() => void) | undefined;
  let wakePending = false;
  let timer: { readonly endsAt: number; readonly abort: AbortController } | undefined;

  const wake = (): void => {
    if (wakePending) return;
    wakePending = true;
    // Deferred, so that further wake-ups of the same moment share the step.
    if (next !== undefined) void Promise.resolve().then(next);
  };
  const wakeAt = (endsAt: number): void => {
    // Timers count whole milliseconds: each step names the same moment a few microseconds sooner or later.
    if (timer !== undefined && timer.endsAt < endsAt + 1) return;
    timer?.abort.abort(new Error('replaced by a shorter timer'));
    const started = { endsAt, abort: new AbortController() };
    timer = started;
    clock.sleep(endsAt - clock.monotonic(), started.abort.signal).then(
      () => {
        if (timer === started) timer = undefined;
        wake();
      },
      () => undefined,
    );
  };

  const run = async (step: () => number | undefined): Promise<void> => {
    let failed: { readonly error: unknown } | undefined;
    await new Promise<void>((resolve) => {
      next = () => {
        wakePending = false;
        try {
          const delayMs = step();
          if (delayMs === undefined) resolve();
          else if (delayMs !== NEVER) wakeAt(clock.monotonic() + delayMs);
        } catch (error) {
          failed = { error };
          resolve();
        }
      };
      next();
    });
    next = undefined;
    timer?.abort.abort(new Error('the run has ended'));
    if (failed !== undefined) throw failed.error;
  };
  return {
    wake,
    /** `step` returns milliseconds until its next run, undefined when no work is left. Fails as it does. */
    run,
  };
}
