import { encodeJson } from '../../core/json.ts';
import type { State } from '../state/state.ts';
import { jobDocument } from '../queue/api/documents.ts';
import type { Delivery } from '../queue/state/records.ts';

/** A webhook is tried up to two more times, ten seconds apart, until it answers 200 (contract rules, Queue API). */
const TRIES = 3;
const RETRY_MS = 10_000;

/** A delivery that is due: where to, and the job's status document as JSON text. */
export interface DueDelivery {
  readonly delivery: Delivery;
  readonly url: string;
  readonly body: string;
}

export function dueDeliveries(state: State, now: number): readonly DueDelivery[] {
  return state.queue.outbox
    .filter(({ nextAt }) => nextAt <= now)
    .flatMap((delivery) => {
      const job = state.queue.jobs[delivery.jobId];
      if (job?.webhook === undefined) return [];
      return [{ delivery, url: job.webhook, body: encodeJson(jobDocument(job, now)) }];
    });
}

/** How a try went. What was refused is not tried again. */
export type DeliveryResult = 'delivered' | 'failed' | 'refused';

/** Notes how a try went: delivered, to be tried again, or given up. Late news of another try changes nothing. */
export function noteDelivery(state: State, tried: Delivery, result: DeliveryResult, now: number): void {
  const { queue } = state;
  const place = queue.outbox.findIndex((delivery) => sameTry(delivery, tried));
  if (place < 0) return;
  const tries = tried.tries + 1;
  if (result !== 'failed' || tries >= TRIES) queue.outbox.splice(place, 1);
  else queue.outbox[place] = { jobId: tried.jobId, tries, nextAt: now + RETRY_MS };
}

export const sameTry = (a: Delivery, b: Delivery): boolean =>
  a.jobId === b.jobId && a.tries === b.tries && a.nextAt === b.nextAt;
