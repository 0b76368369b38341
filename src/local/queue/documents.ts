import { Exact, type Json } from '../../core/json.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { isThrottled } from '../model/endpoints.ts';
import { inProgress, type Job, queueOf, waitingCount, workersIn, type WorkerStatus } from './records.ts';
import type { State } from '../state/state.ts';

/** Specification 2.5, 4.5. Times in milliseconds. Output is the handler's text: its numbers stay exact. */
export function jobDocument(job: Job, now: EpochMs): Json {
  const { error, output } = job;
  const started = job.startedAt ?? job.finishedAt ?? now;
  const ended = job.finishedAt ?? now;
  return {
    delayTime: Math.max(0, started - job.queuedAt),
    error,
    executionTime: job.startedAt === undefined ? 0 : Math.max(0, ended - job.startedAt),
    id: job.id,
    output: output === undefined ? undefined : new Exact(output),
    status: job.status,
  };
}

export const jobBrief = (job: Job): Json => ({ id: job.id, status: job.status });

/** `failed` counts FAILED and TIMED_OUT; deleted jobs are counted too (specification 4.5, 8). */
export function healthDocument(state: State, endpointId: string): Json {
  const queue = queueOf(state, endpointId);
  const { COMPLETED, FAILED, TIMED_OUT, CANCELLED, retried, expired } = queue.counts;
  const workers = (status: WorkerStatus): number =>
    // A worker whose hardware is taken by others takes no job: it is neither idle nor initializing.
    workersIn(queue).filter(
      (worker) => worker.status === status && (status === 'RUNNING' || !isThrottled(state, worker.hardware)),
    ).length;
  return {
    jobs: {
      completed: COMPLETED,
      failed: FAILED + TIMED_OUT,
      inProgress: inProgress(queue),
      inQueue: waitingCount(queue),
      retried,
      cancelled: CANCELLED,
      expired,
    },
    workers: { idle: workers('IDLE'), running: workers('RUNNING'), initializing: workers('INITIALIZING') },
  };
}

/** Exactly as in the source, which must be valid JSON; of two members the last one. */
export function memberText(source: string, name: string): string {
  let found = '';
  let depth = 0;
  let key = '';
  let from = -1;
  for (let at = 0; at < source.length; at++) {
    const character = source.charAt(at);
    if (character === '"') {
      const end = endOfString(source, at);
      if (depth === 1 && from < 0) key = JSON.parse(source.slice(at, end)) as string;
      at = end - 1;
    } else if (character === ':' && depth === 1) from = at + 1;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']' || (character === ',' && depth === 1)) {
      if (depth === 1 && key === name && from >= 0) found = source.slice(from, at).trim();
      if (depth === 1) from = -1;
      if (character !== ',') depth -= 1;
    }
  }
  return found;
}

/** Just past the closing quote of the string that opens at `start`. */
function endOfString(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length && source[at] !== '"') at += source[at] === '\\' ? 2 : 1;
  return at + 1;
}
