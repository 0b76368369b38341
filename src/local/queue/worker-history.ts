import { builtinOf, type EndpointRecord } from '../model/endpoints.ts';
import { planOf } from './builtin-handlers.ts';
import type { Job, Run, Worker } from './records.ts';
import type { EpochMs } from '../../core/unit-types.ts';

const MAX_RUNS = 50;
/** Characters. */
const MAX_ERROR_LENGTH = 500;
const MAX_NOTES = 5;
/** How many printed lines are kept per worker: the first, and the newest, of which a log shows as many. */
const FIRST_LINES = 100;
const NEWEST_LINES = 5000;

export function beginRun({ runs }: Worker, job: Job, endpoint: EndpointRecord | undefined): void {
  const handler = builtinOf(endpoint);
  runs.push({
    jobId: job.id,
    attempt: job.attempt,
    from: job.startedAt ?? job.queuedAt,
    inputBytes: Buffer.byteLength(job.input),
    chunks: handler === undefined ? 0 : planOf(handler, job.input, job.attempt).chunksBy(Number.POSITIVE_INFINITY),
  });
  if (runs.length > MAX_RUNS) runs.shift();
}

/** `after` is undefined when the job was deleted. A run that was dropped is ignored. */
export function endRun(worker: Worker, jobId: string, to: EpochMs, after: Job | undefined): void {
  const run = runOf(worker, jobId);
  if (run === undefined) return;
  run.to = to;
  run.end = after === undefined ? 'DELETED' : after.status === 'IN_QUEUE' ? 'LOST' : after.status;
  if (after?.output !== undefined) run.outputBytes = Buffer.byteLength(after.output);
  if (after?.error !== undefined) run.error = after.error.slice(0, MAX_ERROR_LENGTH);
}

/** False when it has that line or does not run the job. */
export function noteRun(worker: Worker | undefined, jobId: string, line: string, at: EpochMs): boolean {
  const run = worker && runOf(worker, jobId);
  if (run === undefined || run.to !== undefined || run.notes?.some((note) => note.line === line) === true) return false;
  run.notes = [...(run.notes ?? []), { at, line }].slice(-MAX_NOTES);
  return true;
}

const runOf = ({ runs }: Worker, jobId: string): Run | undefined => runs.findLast((run) => run.jobId === jobId);

/** A line in the middle says how many were left out there. */
export function addPrinted(worker: Worker, lines: readonly string[], at: EpochMs): void {
  const printed = (worker.printed ??= []);
  for (const line of lines) printed.push({ at, line });
  const hasMark = worker.leftOut !== undefined;
  const excess = printed.length - FIRST_LINES - NEWEST_LINES - (hasMark ? 1 : 0);
  if (excess <= 0) return;
  worker.leftOut = (worker.leftOut ?? 0) + excess;
  const next = printed[FIRST_LINES + excess + (hasMark ? 1 : 0)];
  const mark = { at: next?.at ?? at, line: `(${String(worker.leftOut)} lines left out here)` };
  printed.splice(FIRST_LINES, excess + (hasMark ? 1 : 0), mark);
}
