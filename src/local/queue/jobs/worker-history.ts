import { builtinOf, type EndpointRecord } from '../../model/endpoints.ts';
import { planOf } from './builtin-handlers.ts';
import type { Job, Run, Worker } from '../state/records.ts';

const MAX_RUNS = 50;
/** Characters. */
const MAX_ERROR_LENGTH = 500;
const MAX_NOTES = 5;
/** How many printed lines are kept per worker: the first, and the newest, of which a log shows as many. */
const FIRST_LINES = 100;
const NEWEST_LINES = 5000;

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

/** `after` is undefined when the job was deleted. A run that was dropped is ignored. */
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

/** Undefined when it has that line or does not run the job. */
export function withNote(worker: Worker, jobId: string, line: string, at: number): Worker | undefined {
  const index = worker.runs.findLastIndex((run) => run.jobId === jobId);
  const run = worker.runs[index];
  if (run === undefined || run.to !== undefined) return undefined;
  const notes = run.notes ?? [];
  if (notes.some((note) => note.line === line)) return undefined;
  return { ...worker, runs: worker.runs.with(index, { ...run, notes: [...notes, { at, line }].slice(-MAX_NOTES) }) };
}

/** A line in the middle says how many were left out there. */
export function withPrintedLines(worker: Worker, lines: readonly string[], at: number): Worker {
  const { printed = [], leftOut = 0 } = worker;
  const kept = leftOut === 0 ? printed : printed.toSpliced(FIRST_LINES, 1);
  const all = [...kept, ...lines.map((line) => ({ at, line }))];
  const more = all.length - FIRST_LINES - NEWEST_LINES;
  if (more <= 0) return { ...worker, printed: all };
  const newest = all.slice(-NEWEST_LINES);
  const mark = { at: newest[0]?.at ?? at, line: `(${String(leftOut + more)} lines left out here)` };
  return { ...worker, leftOut: leftOut + more, printed: [...all.slice(0, FIRST_LINES), mark, ...newest] };
}
