import { builtinOf, type EndpointRecord } from '../../model/endpoints/record.ts';
import { planOf } from './builtin-handlers.ts';
import type { Job, Run, Worker } from '../state/records.ts';

/** How many attempts are kept per worker. */
const MAX_RUNS = 50;
/** How much of an error is kept: characters. */
const MAX_ERROR_LENGTH = 500;
/** How many lines of the service are kept per attempt. */
const MAX_NOTES = 5;
/** How many printed lines are kept per worker, and how many characters of each. */
const MAX_LINES = 200;
const MAX_LINE_LENGTH = 2000;

/** A worker's runs, with a new one for a job that it has started. */
export function beginRun(runs: readonly Run[], job: Job, endpoint: EndpointRecord | undefined): readonly Run[] {
  const handler = builtinOf(endpoint);
  const begun: Run = {
    jobId: job.id,
    attempt: job.attempt,
    from: job.startedAt ?? job.queuedAt,
    inputBytes: Buffer.byteLength(job.input),
    chunks: handler === undefined ? 0 : planOf(handler, job.input, job.attempt).chunksBy(Number.POSITIVE_INFINITY),
  };
  return [...runs, begun].slice(-MAX_RUNS);
}

/**
 * A worker's runs, with the latest one of a job ended; `after` is the job's new record, undefined when it was deleted. A run
 * that is not kept any more is ignored.
 */
export function endRun(runs: readonly Run[], jobId: string, to: number, after: Job | undefined): readonly Run[] {
  const at = runs.findLastIndex((run) => run.jobId === jobId);
  const run = runs[at];
  if (run === undefined) return runs;
  const ended: Run = {
    ...run,
    to,
    end: after === undefined ? 'DELETED' : after.status === 'IN_QUEUE' ? 'LOST' : after.status,
    ...(after?.output !== undefined && { outputBytes: Buffer.byteLength(after.output) }),
    ...(after?.error !== undefined && { error: after.error.slice(0, MAX_ERROR_LENGTH) }),
  };
  return runs.with(at, ended);
}

/** A worker with one more line about the latest run of a job; undefined when it has that line or does not run the job. */
export function withNote(worker: Worker, jobId: string, line: string, at: number): Worker | undefined {
  const index = worker.runs.findLastIndex((run) => run.jobId === jobId);
  const run = worker.runs[index];
  if (run === undefined || run.to !== undefined) return undefined;
  const notes = run.notes ?? [];
  if (notes.some((note) => note.line === line)) return undefined;
  return { ...worker, runs: worker.runs.with(index, { ...run, notes: [...notes, { at, line }].slice(-MAX_NOTES) }) };
}

/** A worker with more lines that its handler module has printed. */
export const withPrintedLines = (worker: Worker, lines: readonly string[], at: number): Worker => ({
  ...worker,
  printed: [...(worker.printed ?? []), ...lines.map((line) => ({ at, line: line.slice(0, MAX_LINE_LENGTH) }))].slice(
    -MAX_LINES,
  ),
});
