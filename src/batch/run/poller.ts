import type { Failure } from '../../core/failure.ts';
import { memberAt, numberOf, stringOf, type Json } from '../../core/json.ts';
import { endEvent, type Desk } from './run-state.ts';
import type { Ending } from '../store/items/item-state-machine.ts';
import { eased, sent, waitOf } from './send-rate.ts';
import { createRota, nextLook, nextTry, type Watched } from './poll-schedule.ts';
import type { PastJob } from '../store/journal/replay.ts';
import { endingOf } from '../store/results/results-file.ts';
import type { Again } from './queue-client.ts';

/** Looks after jobs until each has ended and its result is on the disk. */
export interface Watcher {
  /** `submittedAt`: milliseconds of the monotonic clock. */
  watch(job: JobName, submittedAt: number): void;
  /** Has a job that failed before run again. */
  revive(job: JobName): void;
  /** Looks at what is due. Gives the milliseconds until more is, undefined where something else must happen first. */
  go(): number | undefined;
  /** Jobs that are still to be run again. */
  readonly reviving: number;
  /** Jobs that were run again although their result had been written. */
  readonly revived: number;
}

/** A job as the journal names it, without its date: spans are measured by another clock. */
export type JobName = Omit<PastJob, 'submittedAt'>;

interface Job extends JobName, Watched {
  /** Looks at which the service did not know it. */
  readonly missed: number;
  /** Looks in a row that came to nothing for another reason than a 429. */
  readonly failures: number;
  /** It failed and is to run again. */
  readonly toRetry: boolean;
}

/** Results that are being written at a time, at most: each may be large. */
const MOST_SAVING = 256;
/** A job younger than this that is not there yet gets a second look: milliseconds. */
const YOUNG_MS = 60_000;

export function createWatcher(
  desk: Desk,
  guard: (work: Promise<void>) => void,
  onUnretried: (refusal: Failure) => void = () => undefined,
): Watcher {
  const { paces, clock, options } = desk;
  const rota = createRota<Job>(desk.experience);
  let looking = 0;
  let saving = 0;
  let reviving = 0;
  let revived = 0;

  /** It goes on, for `ranMs` by now where that is known. */
  const later = (job: Job, ranMs?: number): void => {
    const now = clock.monotonic();
    const waitMs = nextLook(desk.experience(), now - job.submittedAt, ranMs, rota.scheduled());
    rota.schedule({ ...job, lookAt: now + waitMs });
  };
  const putOff = (job: Job, again: Again, sentAt: number): void => {
    desk.putOff('look', again, sentAt);
    const now = clock.monotonic();
    // Where it is the job's own trouble, as a result that is too large, the others must come to their turn.
    const failures = again.throttled ? job.failures : job.failures + 1;
    rota.schedule({ ...job, failures, lookAt: again.throttled ? Math.max(now, job.lookAt) : now + nextTry(failures) });
  };
  const worked = (): void => {
    desk.worked();
    paces.look = eased(paces.look);
  };

  const save = async (job: Job, document: Json, ending: Ending): Promise<void> => {
    saving += 1;
    try {
      await desk.conclude(job, document, endEvent(ending));
    } finally {
      saving -= 1;
      desk.wake();
    }
  };

  const learn = (job: Job, document: Json): void => {
    const [delay, execution] = [numberOf(memberAt(document, 'delayTime')), executionOf(document)];
    const age = clock.monotonic() - job.submittedAt;
    // When it ended the service knows better: here it may have been seen late.
    desk.learn(delay === undefined || execution === undefined ? age : Math.min(age, delay + execution), execution);
  };

  const retry = async (job: Job, document: Json, ending: Ending): Promise<void> => {
    const sentAt = clock.monotonic();
    const outcome = await desk.wire.retry(job.job);
    switch (outcome.kind) {
      case 'requeued': {
        worked();
        learn(job, document);
        const submittedAt = clock.monotonic();
        // eslint-disable-next-line no-restricted-syntax -- a date, for the journal
        await desk.record(job.item, { kind: 'retry', job: job.job }, { at: clock.now(), id: job.id });
        rota.queue({ ...job, retries: job.retries + 1, submittedAt, looks: 0, toRetry: false });
        return;
      }
      case 'refused':
        learn(job, document);
        await save(job, document, ending);
        return;
      case 'unsure':
        // It may have run again, so it counts: what its state tells when it is looked at goes on from there.
        later({ ...job, retries: job.retries + 1 });
        return;
      case 'again':
        putOff(job, outcome, sentAt);
        return;
      case 'stop':
        rota.schedule(job);
        desk.stop('trouble', 'at-once', outcome.failure);
    }
  };

  const seen = async (job: Job, document: Json): Promise<void> => {
    const ending = endingOf(document);
    if (ending === undefined) {
      const runs = isRunning(document);
      rota.found(job, runs ? 'goes-on' : 'waits', clock.monotonic());
      if (runs) later(job, executionOf(document));
      return;
    }
    rota.found(job, 'ended', clock.monotonic());
    const again = (ending === 'failed' || ending === 'timedOut') && job.retries < options.retryFailed;
    if (again && desk.sending()) {
      await retry(job, document, ending);
      return;
    }
    learn(job, document);
    await save(job, document, ending);
  };

  const look = async (job: Job): Promise<void> => {
    const sentAt = clock.monotonic();
    const outcome = await desk.wire.look(job.job);
    if (outcome.kind !== 'seen') rota.lost(job);
    switch (outcome.kind) {
      case 'seen':
        worked();
        await seen(job.failures === 0 ? job : { ...job, failures: 0 }, outcome.document);
        return;
      case 'gone':
        worked();
        if (job.missed === 0 && clock.monotonic() - job.submittedAt < YOUNG_MS) {
          later({ ...job, missed: 1 });
          return;
        }
        await save(job, { status: 'EXPIRED', error: EXPIRED }, 'expired');
        return;
      case 'again':
        putOff(job, outcome, sentAt);
        return;
      case 'stop':
        rota.schedule(job);
        desk.stop('trouble', 'at-once', outcome.failure);
    }
  };

  /** A job whose failure is written already: only a retry that works changes anything. */
  const reviveOne = async (job: Job): Promise<void> => {
    const sentAt = clock.monotonic();
    const outcome = await desk.wire.retry(job.job);
    if (outcome.kind === 'again') {
      putOff(job, outcome, sentAt);
      return;
    }
    reviving -= 1;
    if (outcome.kind === 'refused') onUnretried(outcome.failure);
    if (outcome.kind === 'stop') desk.stop('trouble', 'at-once', outcome.failure);
    // Not sure: what its state tells when it is looked at counts.
    if (outcome.kind !== 'requeued' && outcome.kind !== 'unsure') return;
    worked();
    revived += 1;
    const submittedAt = clock.monotonic();
    // eslint-disable-next-line no-restricted-syntax -- a date, for the journal
    await desk.record(job.item, { kind: 'retry', job: job.job }, { at: clock.now(), id: job.id });
    rota.queue({ ...job, toRetry: false, submittedAt, retries: 1 });
  };

  const attend = async (job: Job): Promise<void> => {
    looking += 1;
    try {
      await (job.toRetry ? reviveOne(job) : look(job));
    } finally {
      looking -= 1;
      desk.wake();
    }
  };

  return {
    watch: (job, submittedAt) => {
      rota.queue(watched(job, submittedAt, false));
    },
    revive: (job) => {
      reviving += 1;
      rota.schedule(watched(job, clock.monotonic(), true));
    },
    go: () => {
      const now = clock.monotonic();
      for (;;) {
        if (!desk.looking() || saving >= MOST_SAVING) return undefined;
        const waitMs = waitOf(paces.look, looking - saving, now);
        if (waitMs === undefined || !desk.wireIsFree()) return undefined;
        const untilDue = rota.dueAt() - now;
        if (waitMs > 0 || untilDue > 0) return Math.max(waitMs, untilDue);
        const job = rota.take(now);
        if (job === undefined) return undefined;
        paces.look = sent(paces.look, now);
        guard(attend(job));
      }
    },
    get reviving() {
      return reviving;
    },
    get revived() {
      return revived;
    },
  };
}

/** Member by member: thousands are made a second, and that is quicker than to spread one into another. */
const watched = ({ item, job, id, retries }: JobName, submittedAt: number, toRetry: boolean): Job => ({
  item,
  job,
  id,
  submittedAt,
  retries,
  looks: 0,
  missed: 0,
  failures: 0,
  toRetry,
  lookAt: submittedAt,
});

const EXPIRED =
  'the service no longer knows this job: its result was not fetched in time, or its time to live was over';

const isRunning = (document: Json): boolean => {
  const status = stringOf(memberAt(document, 'status'));
  return status === 'IN_PROGRESS' || status === 'RUNNING';
};

/** Milliseconds on a worker, as far as they have come. */
const executionOf = (document: Json): number | undefined => numberOf(memberAt(document, 'executionTime'));
