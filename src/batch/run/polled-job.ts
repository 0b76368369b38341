import type { Absence } from '../../core/not-there-yet.ts';
import type { PolledJob } from './poll-order.ts';
import type { KnownJob } from '../model/known-job.ts';

/** A job as it is in the journal, without its date: durations are measured by the monotonic clock. */
export type JobRef = Omit<KnownJob, 'submittedAt'>;

/** A job between two polls. */
export interface Job extends JobRef, PolledJob {
  /** Number of polls in a row to which the service answered that the job does not exist, and what they mean. */
  readonly notFoundPolls: number;
  readonly absence: Absence | undefined;
  /** Number of polls in a row that failed, 429 excluded. */
  readonly failedPolls: number;
  /** `failed` and `expired`: how it ended in an earlier run. It is then retried, or asked for once. */
  readonly kind: 'submitted' | 'failed' | 'expired';
}

/** Lists the members one by one: thousands of jobs are created per second, and object spread is slower. */
export const newJob = ({ item, job, id, retries }: JobRef, submittedAt: number, kind: Job['kind']): Job => ({
  item,
  job,
  id,
  submittedAt,
  retries,
  queuedPolls: 0,
  notFoundPolls: 0,
  absence: undefined,
  failedPolls: 0,
  kind,
  pollAt: submittedAt,
});
