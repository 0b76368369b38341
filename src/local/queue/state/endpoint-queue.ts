import type { State } from '../../state/state.ts';
import { emptyLane, type Job, type Lane, type Worker } from './records.ts';

/** An endpoint's queue; made where it has none yet. */
export function laneOf(state: State, endpointId: string): Lane {
  return (state.queue.lanes[endpointId] ??= emptyLane());
}

/** How many jobs wait. */
export const waitingIn = (lane: Lane): number => lane.waiting.length + lane.waitingLow.length;

/** The job to be taken next: the one that came first, those of low priority last. */
export const nextWaiting = (lane: Lane): string | undefined => lane.waiting[0] ?? lane.waitingLow[0];

/** The line a job waits in. */
const lineOf = (lane: Lane, job: Job): string[] => (job.lowPriority ? lane.waitingLow : lane.waiting);

export function joinLine(lane: Lane, job: Job): void {
  lineOf(lane, job).push(job.id);
}

export function leaveLine(lane: Lane, job: Job): void {
  const line = lineOf(lane, job);
  const place = line.indexOf(job.id);
  if (place >= 0) line.splice(place, 1);
}

export const workersIn = (lane: Lane): readonly Worker[] => Object.values(lane.workers);
