import type { State } from '../../state/state.ts';
import { putWorker, queueOf } from '../state/endpoint-queue.ts';
import { withNote } from '../jobs/worker-history.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

/**
 * Adds a line about a job to the system log of the worker that runs it, unless it is there already: a worker repeats a
 * request that was refused. Returns whether it is new; `now` is the service's clock in milliseconds since the epoch.
 */
export function noteAboutJob(
  state: State,
  { endpointId, workerId, jobId }: { readonly endpointId: string; readonly workerId: string; readonly jobId: string },
  line: string,
  now: EpochMs,
): boolean {
  const queue = queueOf(state, endpointId);
  const worker = queue.workers[workerId];
  const noted = worker === undefined ? undefined : withNote(worker, jobId, line, now);
  if (noted === undefined) return false;
  putWorker(queue, noted);
  return true;
}
