import { type Json, numberAt } from '../../core/json.ts';
import { MINUTE_MS } from '../../core/unit-types.ts';
import { certainMs } from '../../queue/limits.ts';
import { isRunning, jobOutcome, type JobOutcome } from '../../queue/job.ts';
import type { Ending } from '../model/item-states.ts';
import type { MonotonicMs } from '../model/batch.ts';
import { createPollSchedule, type Job, type JobRef, newJob, retryPollDelay } from './poll-schedule.ts';
import type { Fatal, RetryLater } from './queue-client.ts';
import { canSend, onRetryLater, type RunState } from './run-state.ts';

/** Each may be large. */
const MAX_SAVING = 256;

export function createPoller(run: RunState) {
  const { options, observer, rates, clock, client, records, control, monitor } = run;
  const schedule = createPollSchedule<Job>(() => rates.poll.perSecond);
  let active = 0;
  let saving = 0;

  const postpone = (job: Job, outcome: RetryLater, sentAt: number): void => {
    onRetryLater(run, 'poll', outcome, sentAt);
    const now = clock.monotonic();
    // The cause may be this job alone, such as a result that is too large: its backoff must not delay other jobs.
    const failedPolls = outcome.throttled ? job.failedPolls : job.failedPolls + 1;
    const pollAt = outcome.throttled ? Math.max(now, job.pollAt) : now + retryPollDelay(failedPolls);
    schedule.addTimed({ ...job, failedPolls, pollAt });
  };
  const onRequestFailed = (job: Job, outcome: RetryLater | Fatal, sentAt: number): void => {
    if (outcome.kind === 'retry-later') {
      postpone(job, outcome, sentAt);
      return;
    }
    schedule.addTimed(job);
    control.stop('error', 'now', outcome.failure);
  };
  const onSuccess = (): void => {
    monitor.onSuccess();
    rates.poll.speedUp();
  };

  const save = async (job: Job, document: Json, ending: Ending): Promise<void> => {
    saving += 1;
    try {
      await run.endItem(job, document, { kind: 'end', ending });
    } finally {
      saving -= 1;
      control.wake();
    }
  };

  const measure = (job: Job, document: Json): void => {
    const [delayMs, executionMs] = [numberAt(document, 'delayTime'), executionMsOf(document)];
    const ageMs = clock.monotonic() - job.acceptedAt;
    // The poll may be later than the end: the service's times are more exact.
    const turnaroundMs =
      delayMs === undefined || executionMs === undefined ? ageMs : Math.min(ageMs, delayMs + executionMs);
    schedule.onEnded(turnaroundMs, executionMs);
    if (executionMs !== undefined) observer.onExecuted?.(executionMs);
  };

  /** Instead of saving its result. */
  const retry = async (job: Job, document: Json, ending: JobOutcome): Promise<void> => {
    const sentAt = clock.monotonic();
    const outcome = await client.retry(job.job);
    switch (outcome.kind) {
      case 'requeued': {
        onSuccess();
        measure(job, document);
        const acceptedAt = clock.monotonic();
        // oxlint-disable-next-line berth/no-wall-clock -- a date, for the journal
        await records.record(job.item, { kind: 'retry', job: job.job }, { at: clock.now() });
        schedule.addQueued({ ...job, retries: job.retries + 1, acceptedAt, queuedPolls: 0 });
        return;
      }
      case 'refused':
        measure(job, document);
        await save(job, document, ending);
        return;
      case 'unknown':
        // It may run again, so the retry counts; the next poll shows whether it does.
        schedule.addLater({ ...job, retries: job.retries + 1 }, clock.monotonic());
        return;
      default:
        onRequestFailed(job, outcome, sentAt);
    }
  };

  const onFound = async (job: Job, document: Json): Promise<void> => {
    const ending = jobOutcome(document);
    if (ending === undefined) {
      const running = isRunning(document);
      schedule.onPolled(job, running ? 'running' : 'queued', clock.monotonic());
      if (running) schedule.addLater(job, clock.monotonic(), executionMsOf(document));
      return;
    }
    schedule.onPolled(job, 'ended', clock.monotonic());
    const mayRetry = (ending === 'failed' || ending === 'timedOut') && job.retries < options.retryFailed;
    if (mayRetry && control.maySubmit()) {
      await retry(job, document, ending);
      return;
    }
    measure(job, document);
    await save(job, document, ending);
  };

  /** False when the service no longer has the job: a younger one may be missing on a replica that lags. */
  const pollUntilThere = (job: Job): boolean => {
    const now = clock.monotonic();
    const { missingSince = now } = job;
    const isKept = now - job.acceptedAt < certainMs({ ttlMs: options.ttlMs });
    if (!isKept || now - missingSince >= MINUTE_MS) return false;
    const notFoundPolls = job.notFoundPolls + 1;
    schedule.addTimed({ ...job, missingSince, notFoundPolls, pollAt: now + retryPollDelay(notFoundPolls) });
    return true;
  };

  const poll = async (job: Job): Promise<void> => {
    const sentAt = clock.monotonic();
    const outcome = await client.status(job.job);
    if (outcome.kind !== 'found') schedule.onPollFailed(job);
    switch (outcome.kind) {
      case 'found':
        onSuccess();
        await onFound(
          job.failedPolls === 0 && job.notFoundPolls === 0
            ? job
            : { ...job, failedPolls: 0, notFoundPolls: 0, missingSince: undefined },
          outcome.document,
        );
        return;
      case 'not-json':
        onSuccess();
        await save(job, { status: 'FAILED', error: outcome.failure.message }, 'failed');
        return;
      case 'not-found':
        onSuccess();
        if (pollUntilThere(job)) return;
        await save(job, { status: 'EXPIRED', error: EXPIRED }, 'expired');
        return;
      default:
        onRequestFailed(job, outcome, sentAt);
    }
  };

  const handle = async (job: Job): Promise<void> => {
    active += 1;
    try {
      await poll(job);
    } finally {
      active -= 1;
      control.wake();
    }
  };

  return {
    add: (job: JobRef, acceptedAt: MonotonicMs): void => {
      schedule.addQueued(newJob(job, acceptedAt));
    },
    /** Milliseconds until the next poll; undefined when it must wait for an event. */
    step: (): number | undefined => {
      const now = clock.monotonic();
      for (;;) {
        if (!control.mayPoll() || saving >= MAX_SAVING) return undefined;
        const delayMs = rates.poll.delay(active - saving);
        if (delayMs === undefined || !canSend(run)) return undefined;
        const untilDueMs = schedule.dueAt() - now;
        if (delayMs > 0 || untilDueMs > 0) return Math.max(delayMs, untilDueMs);
        const job = schedule.take(now);
        if (job === undefined) return undefined;
        rates.poll.take();
        run.start(handle(job));
      }
    },
  };
}

const EXPIRED = 'the service no longer has this job: its result was not fetched in time, or its time to live was over';

const executionMsOf = (document: Json): number | undefined => numberAt(document, 'executionTime');
