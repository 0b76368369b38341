import type { Clock } from '../../core/context.ts';
import type { FindJobs } from '../model/batch.ts';
import type { QueueClient } from './queue-client.ts';
import { retryPollDelay } from './poll-schedule.ts';

/** Requests in progress at the same time. */
const MAX_ACTIVE = 8;
/** How often one job is asked for. */
const MAX_ATTEMPTS = 8;

/**
 * Creates a function that asks for jobs before a run. Where the service does not say whether it has a job, the function fails
 * with the failure of the request, and with the reason of the signal: nothing must be sent again then.
 */
export function createFindJobs(
  client: Pick<QueueClient, 'status'>,
  clock: Pick<Clock, 'sleep'>,
  signal: AbortSignal,
): FindJobs {
  const isThere = async (job: string): Promise<boolean> => {
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      const outcome = await client.status(job);
      if (outcome.kind === 'found' || outcome.kind === 'not-found') return outcome.kind === 'found';
      if (outcome.kind === 'fatal' || attempt === MAX_ATTEMPTS) throw outcome.failure;
      await clock.sleep(outcome.retryAfterMs ?? retryPollDelay(attempt), signal);
    }
  };
  return async (jobs) => {
    const found = new Set<number>();
    const left = jobs.values();
    const askForAll = async (): Promise<void> => {
      for (const { item, job } of left) if (await isThere(job)) found.add(item);
    };
    await Promise.all(Array.from({ length: Math.min(MAX_ACTIVE, jobs.length) }, askForAll));
    return found;
  };
}
