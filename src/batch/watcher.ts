import TinyQueue from 'tinyqueue';
import { memberAt, numberOf, stringOf, type Json } from '../core/json.ts';
import { endEvent, type Desk } from './desk.ts';
import type { Ending } from './machine.ts';
import { borrowedWait, eased, sent, struck, waitOf } from './pace.ts';
import { firstLook, frontAfter, inOrder, lookAfter, nextLook, type Front, type Watched } from './polling.ts';
import type { PastJob } from './replay.ts';
import { endingOf } from './results.ts';
import type { Again } from './wire.ts';

/** Looks after jobs until each has ended and its result is on the disk. */
export interface Watcher {
  watch(job: PastJob): void;
  /** Has a job that failed before run again. */
  revive(job: PastJob): void;
  /** Looks at what is due. Gives the milliseconds until more is, undefined where something else must happen first. */
  go(): number | undefined;
  /** Jobs that are still to be run again. */
  readonly reviving: number;
  /** Jobs that were run again although their result had been written. */
  readonly revived: number;
}

interface Job extends PastJob, Watched {
  /** Looks at which the service did not know it. */
  readonly missed: number;
  /** It failed and is to run again. */
  readonly toRetry: boolean;
}

/** Results that are being written at a time, at most: each may be large. */
const MOST_SAVING = 256;
/** A job younger than this that is not there yet gets a second look: milliseconds. */
const YOUNG_MS = 60_000;

export function createWatcher(desk: Desk, guard: (work: Promise<void>) => void): Watcher {
  const { paces, clock, options } = desk;
  const due = new TinyQueue<Job>([], inOrder);
  let looking = 0;
  let saving = 0;
  let front: Front | undefined;
  let reviving = 0;
  let revived = 0;

  const later = (job: Job, running = false): void => {
    due.push({ ...job, looks: job.looks + 1, lookAt: nextLook(desk.experience(), job.looks, running, clock.now()) });
  };
  const putOff = (job: Job, again: Again, sentAt: number): void => {
    const now = clock.now();
    paces.look = struck(paces.look, sentAt, now, again.askedMs, desk.random());
    paces.submit = struck(paces.submit, sentAt, now, borrowedWait(again.askedMs), desk.random());
    if (!again.throttled) desk.troubled(again.failure);
    due.push({ ...job, lookAt: Math.max(now, job.lookAt) });
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
    desk.learn(clock.now() - job.submittedAt, numberOf(memberAt(document, 'executionTime')));
  };

  const retry = async (job: Job, document: Json, ending: Ending): Promise<void> => {
    const sentAt = clock.now();
    const outcome = await desk.wire.retry(job.job);
    switch (outcome.kind) {
      case 'requeued': {
        worked();
        learn(job, document);
        const at = clock.now();
        const written = desk.record(job.item, { kind: 'retry', job: job.job }, { at, id: job.id });
        const next = { ...job, retries: job.retries + 1, submittedAt: at, looks: 0, toRetry: false };
        due.push({ ...next, lookAt: firstLook(desk.experience(), at) });
        await written;
        return;
      }
      case 'refused':
        learn(job, document);
        await save(job, document, ending);
        return;
      case 'unsure':
        later(job);
        return;
      case 'again':
        putOff(job, outcome, sentAt);
        return;
      case 'stop':
        due.push(job);
        desk.stop('trouble', 'at-once', outcome.failure);
    }
  };

  const seen = async (job: Job, document: Json): Promise<void> => {
    const ending = endingOf(document);
    const waits = ending === undefined && !isRunning(document);
    const now = clock.now();
    front = frontAfter(front, job, waits, nextLook(desk.experience(), job.looks, false, now), now);
    if (ending === undefined) {
      later(job, !waits);
      return;
    }
    const again = (ending === 'failed' || ending === 'timedOut') && job.retries < options.retryFailed;
    if (again && desk.sending()) {
      await retry(job, document, ending);
      return;
    }
    learn(job, document);
    await save(job, document, ending);
  };

  const look = async (job: Job): Promise<void> => {
    const sentAt = clock.now();
    const outcome = await desk.wire.look(job.job);
    switch (outcome.kind) {
      case 'seen':
        worked();
        await seen(job, outcome.document);
        return;
      case 'gone':
        worked();
        if (job.missed === 0 && clock.now() - job.submittedAt < YOUNG_MS) {
          later({ ...job, missed: 1 });
          return;
        }
        await save(job, { status: 'EXPIRED', error: EXPIRED }, 'expired');
        return;
      case 'again':
        putOff(job, outcome, sentAt);
        return;
      case 'stop':
        due.push(job);
        desk.stop('trouble', 'at-once', outcome.failure);
    }
  };

  /** A job whose failure is written already: only a retry that works changes anything. */
  const reviveOne = async (job: Job): Promise<void> => {
    const sentAt = clock.now();
    const outcome = await desk.wire.retry(job.job);
    if (outcome.kind === 'again') {
      putOff(job, outcome, sentAt);
      return;
    }
    reviving -= 1;
    if (outcome.kind === 'stop') desk.stop('trouble', 'at-once', outcome.failure);
    // Not sure: what its state tells when it is looked at counts.
    if (outcome.kind !== 'requeued' && outcome.kind !== 'unsure') return;
    worked();
    revived += 1;
    const at = clock.now();
    const written = desk.record(job.item, { kind: 'retry', job: job.job }, { at, id: job.id });
    due.push({ ...job, toRetry: false, submittedAt: at, retries: 1, lookAt: firstLook(desk.experience(), at) });
    await written;
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
    watch: (job) => {
      due.push(watched(job, firstLook(desk.experience(), job.submittedAt), false));
    },
    revive: (job) => {
      reviving += 1;
      due.push(watched(job, 0, true));
    },
    go: () => {
      const now = clock.now();
      for (;;) {
        const first = due.peek();
        if (first === undefined || !desk.looking() || saving >= MOST_SAVING) return undefined;
        const waitMs = waitOf(paces.look, looking - saving, now);
        if (waitMs === undefined || !desk.wireIsFree()) return undefined;
        const untilDue = Math.max(first.lookAt, lookAfter(front, first, looking)) - now;
        if (waitMs > 0 || untilDue > 0) return Math.max(waitMs, untilDue);
        due.pop();
        paces.look = sent(paces.look, now);
        guard(attend(first));
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
const watched = ({ item, job, id, submittedAt, retries }: PastJob, lookAt: number, toRetry: boolean): Job => ({
  item,
  job,
  id,
  submittedAt,
  retries,
  looks: 0,
  missed: 0,
  toRetry,
  lookAt,
});

const EXPIRED =
  'the service no longer knows this job: its result was not fetched in time, or its time to live was over';

const isRunning = (document: Json): boolean => {
  const status = stringOf(memberAt(document, 'status'));
  return status === 'IN_PROGRESS' || status === 'RUNNING';
};
