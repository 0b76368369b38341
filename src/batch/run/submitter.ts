import type { KnownJob } from '../model/batch.ts';
import type { InvalidItem, Item, ItemGroups } from '../read/items.ts';
import { retryPollDelay } from './poll-schedule.ts';
import type { SubmitOutcome } from './queue-client.ts';
import { canSend, onRetryLater, type RunState } from './run-state.ts';
import type { Failure } from '../../core/failure.ts';
import { duplicateJobId } from '../../queue/job.ts';

/** Items are taken from the queue only when this many fit, because each group of intents needs a sync of its own. */
const groupSize = (maxActive: number): number => Math.max(1, Math.floor(maxActive / 8));

/** The intent is on disk before the request. `onAccepted` comes when the job's id is on disk. */
export function createSubmitter(
  run: RunState,
  queue: ItemQueue,
  onAccepted: (item: Item, job: string, at: number) => void,
) {
  const { options, observer, clock, client, records, rates, control, monitor, start } = run;
  const { states } = records;
  const unrecorded: Pick<KnownJob, 'item' | 'job'>[] = [];
  /** The stages of an item: its intent is being written; it is ready to send; it was sent; its outcome is recorded. */
  let writingIntents = 0;
  let ready: Item[] = [];
  let sending = 0;
  let recording = 0;

  const writeIntents = async (items: readonly Item[]): Promise<void> => {
    writingIntents += items.length;
    try {
      let written: Promise<void> | undefined;
      for (const { number, id } of items)
        written = records.record(number, { kind: 'send' }, id === undefined ? undefined : { id });
      // They are synced in order, so waiting for the last one is enough.
      await written;
      ready.push(...items);
    } catch (error) {
      // Some intents may be on disk, but no request was sent for them.
      for (const { number } of items) records.forgetIntent(number);
      throw error;
    } finally {
      writingIntents -= items.length;
      control.wake();
    }
  };

  /** Only for an item that was certainly not accepted. */
  const withdraw = async (item: Item): Promise<void> => {
    rates.submit.giveBack();
    const recorded = records.record(item.number, { kind: 'withdraw' });
    queue.putBack(item);
    control.wake();
    await recorded;
  };
  const withdrawReady = (): void => {
    const items = ready;
    ready = [];
    for (const item of items) start(withdraw(item));
  };

  const submit = async (item: Item): Promise<void> => {
    const sentAt = clock.monotonic();
    let outcome: SubmitOutcome;
    sending += 1;
    try {
      outcome = rejectDuplicate(await client.submit(item.input));
    } finally {
      sending -= 1;
      control.wake();
    }
    recording += 1;
    try {
      if (outcome.kind === 'accepted') {
        const at = clock.monotonic();
        await recordAccepted(item, outcome.job);
        // Not earlier: a result must not be on disk before the journal has its job.
        onAccepted(item, outcome.job, at);
      } else await onNotAccepted(item, outcome, sentAt);
    } catch (error) {
      if (outcome.kind === 'accepted') unrecorded.push({ item: item.number, job: outcome.job });
      throw error;
    } finally {
      recording -= 1;
      control.wake();
    }
  };

  const rejectDuplicate = (outcome: SubmitOutcome): SubmitOutcome =>
    outcome.kind === 'accepted' && !records.addJobId(outcome.job)
      ? { kind: 'unknown', failure: duplicateJobId(outcome.job) }
      : outcome;

  const recordAccepted = ({ number }: Item, job: string): Promise<void> => {
    monitor.onSubmitted();
    rates.submit.speedUp();
    // oxlint-disable-next-line berth/no-wall-clock -- a date, for the journal
    return records.record(number, { kind: 'accept', job }, { at: clock.now() });
  };

  const recordRefused = async ({ number, id }: Item, { message }: Failure): Promise<void> => {
    monitor.onSubmitted();
    await run.endItem({ item: number, id }, { status: 'REFUSED', error: message }, { kind: 'refuse' });
  };

  const onNotAccepted = async (
    item: Item,
    outcome: Exclude<SubmitOutcome, { kind: 'accepted' }>,
    sentAt: number,
  ): Promise<void> => {
    switch (outcome.kind) {
      case 'retry-later':
        onRetryLater(run, 'submit', outcome, sentAt);
        await withdraw(item);
        return;
      case 'unknown': {
        const recorded = records.record(item.number, { kind: 'lose' });
        rates.backOff('submit', { sentAt, throttled: false });
        observer.onUnknown?.(outcome.failure);
        monitor.onUnanswered(outcome.failure);
        await recorded;
        return;
      }
      case 'refused':
        await recordRefused(item, outcome.failure);
        return;
      case 'fatal':
        control.stop('error', 'now', outcome.failure);
        await withdraw(item);
    }
  };

  const submitReady = (): void => {
    while (sending < Math.floor(rates.submit.concurrency) && canSend(run) && monitor.submissionsAllowed(sending) > 0) {
      const item = ready.shift();
      if (item === undefined) return;
      start(submit(item));
    }
  };

  const freeJobs = (): number => options.inFlight - states.count('sending') - states.count('submitted');
  /** Returns a delay as `step` does. */
  const takeItems = (): number | undefined => {
    queue.check();
    const maxActive = Math.floor(rates.submit.maxIntents());
    const active = writingIntents + ready.length + recording;
    if (active > maxActive - groupSize(maxActive)) return undefined;
    const free = freeJobs();
    const allowed = monitor.submissionsAllowed(sending) - writingIntents - ready.length;
    const count = Math.max(0, Math.min(free, allowed, rates.submit.available(active, maxActive)));
    const items = takeFromQueue(count);
    if (items.length > 0) {
      rates.submit.take(items.length);
      start(writeIntents(items));
    }
    // Continues when an item is loaded, or a job ends while the service has the maximum number.
    if (items.length < count || items.length >= free) return undefined;
    return rates.submit.delay(active + items.length, maxActive);
  };
  const takeFromQueue = (count: number): readonly Item[] => {
    const items: Item[] = [];
    while (items.length < count) {
      const item = queue.take();
      if (item === undefined) break;
      items.push(item);
    }
    return items;
  };

  /** Whether the service answers at all, where no poll may tell. */
  const probe = createProbe(run);

  return {
    unrecorded,
    /** `now` is monotonic. Milliseconds until more may be sent; undefined when it must wait for an event. */
    step: (now: number): number | undefined => {
      // A wait that the service asked for also applies to items whose intent was being written at that time.
      if (!control.maySubmit() || rates.submit.isBlocked()) withdrawReady();
      if (!control.maySubmit()) return undefined;
      if (sending === 0 && !queue.empty && monitor.submissionsAllowed(0) === 0) {
        withdrawReady();
        return probe(now);
      }
      submitReady();
      return takeItems();
    },
  };
}

function createProbe({ client, clock, control, monitor, start }: RunState) {
  let failures = 0;
  let nextAt = Number.NEGATIVE_INFINITY;
  let active = false;
  const send = async (): Promise<void> => {
    const outcome = await client.health();
    active = false;
    nextAt = clock.monotonic() + retryPollDelay((failures += 1));
    if (outcome.kind === 'fatal') control.stop('error', 'now', outcome.failure);
    else if (outcome.kind === 'retry-later') monitor.onFailure(outcome.failure);
    else {
      failures = 0;
      monitor.onSuccess();
    }
    control.wake();
  };
  /** Milliseconds until the next; undefined while one is on its way. */
  return (now: number): number | undefined => {
    if (active) return undefined;
    if (now < nextAt) return nextAt - now;
    active = true;
    start(send());
    return undefined;
  };
}

/** `onChange` is called when an item was loaded, at the end, and when reading failed. */
export function createItemQueue(groups: ItemGroups, isWanted: (item: number) => boolean, onChange: () => void) {
  const returned: Item[] = [];
  let group: Iterator<Item | InvalidItem, unknown> | undefined;
  let next: Item | undefined;
  let ended = false;
  let failed: { readonly error: unknown } | undefined;

  const advance = (): void => {
    next = undefined;
    while (group !== undefined && next === undefined) {
      const step = group.next();
      if (step.done === true) {
        group = undefined;
        void loadGroup();
      } else if (step.value.kind === 'item' && isWanted(step.value.number)) next = step.value;
    }
  };
  const loadGroup = async (): Promise<void> => {
    try {
      const step: IteratorResult<Iterable<Item | InvalidItem>, unknown> = await groups.next();
      if (step.done === true) ended = true;
      else {
        group = step.value[Symbol.iterator]();
        advance();
      }
    } catch (error) {
      failed = { error };
    }
    onChange();
  };
  void loadGroup();

  return {
    take: (): Item | undefined => {
      const item = returned.pop() ?? next;
      if (item !== undefined && item === next) advance();
      return item;
    },
    /** Throws the reading error once all items that were read are taken. */
    check: (): void => {
      if (failed !== undefined && returned.length === 0 && next === undefined) throw failed.error;
    },
    putBack: (item: Item): void => {
      returned.push(item);
    },
    /** No item is left and none will be loaded. */
    get empty(): boolean {
      return returned.length === 0 && next === undefined && ended;
    },
    close: async (): Promise<void> => {
      await groups.return(undefined).catch(() => undefined);
    },
  };
}

type ItemQueue = ReturnType<typeof createItemQueue>;
