import { encodeJson } from '../../core/json.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { jobDocument } from '../queue/documents.ts';
import { type Delivery, queuesOf } from '../queue/records.ts';
import type { State } from '../state/state.ts';

/** A webhook is retried twice, ten seconds apart, until it is answered with 200 (contract rules, Queue API). */
const MAX_ATTEMPTS = 3;
const RETRY_MS = 10_000;

/** The body is the job's status document as JSON text. */
export interface DueDelivery {
  readonly delivery: Delivery;
  readonly url: string;
  readonly body: string;
}

export function dueDeliveries(state: State, now: EpochMs): readonly DueDelivery[] {
  return queuesOf(state)
    .deliveries.filter(({ nextAt }) => nextAt <= now)
    .flatMap((delivery) => {
      const job = queuesOf(state).jobs[delivery.jobId];
      if (job?.webhook === undefined) return [];
      return [{ delivery, url: job.webhook, body: encodeJson(jobDocument(job, now)) }];
    });
}

/** A refused delivery is not retried. */
type DeliveryResult = 'delivered' | 'failed' | 'refused';

/** Removes it or schedules a retry. The result of an older attempt is ignored. */
export function recordDelivery(state: State, attempted: Delivery, result: DeliveryResult, now: EpochMs): void {
  const queues = queuesOf(state);
  const index = queues.deliveries.findIndex((delivery) => isSameAttempt(delivery, attempted));
  if (index < 0) return;
  const attempts = attempted.attempts + 1;
  if (result !== 'failed' || attempts >= MAX_ATTEMPTS) queues.deliveries.splice(index, 1);
  else queues.deliveries[index] = { jobId: attempted.jobId, attempts, nextAt: now + RETRY_MS };
}

export const isSameAttempt = (a: Delivery, b: Delivery): boolean =>
  a.jobId === b.jobId && a.attempts === b.attempts && a.nextAt === b.nextAt;

/** Its address is not allowed. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
}
