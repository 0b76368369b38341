import type { EndpointRecord } from '../../model/endpoints/record.ts';
import { planOf } from './builtin-handlers.ts';
import type { Job, Run, Worker } from '../state/records.ts';

/** How many of its jobs a worker remembers. */
const KEPT = 50;
/** How much of an error is remembered: characters. */
const ERROR_KEPT = 500;
/** How many lines a handler module printed are remembered, and how much of each: characters. */
const LINES_KEPT = 200;
const LINE_KEPT = 2000;

/** A worker's runs with the one of a job that it has just started. */
export function beginRun(runs: readonly Run[], job: Job, endpoint: EndpointRecord | undefined): readonly Run[] {
  const handler = endpoint?.handler ?? 'module';
  const begun: Run = {
    jobId: job.id,
    attempt: job.attempt,
    from: job.startedAt ?? job.queuedAt,
    inputBytes: Buffer.byteLength(job.input),
    chunks: handler === 'module' ? 0 : planOf(handler, job.input, job.attempt).chunksBy(Number.POSITIVE_INFINITY),
  };
  return [...runs, begun].slice(-KEPT);
}

/** A worker's runs when its last one is over; `after` is the job as it is then, absent where it was deleted. */
export function endRun(runs: readonly Run[], to: number, after: Job | undefined): readonly Run[] {
  const last = runs.at(-1);
  if (last === undefined) return runs;
  const ended: Run = {
    ...last,
    to,
    end: after?.status ?? 'DELETED',
    ...(after?.output !== undefined && { outputBytes: Buffer.byteLength(after.output) }),
    ...(after?.error !== undefined && { error: after.error.slice(0, ERROR_KEPT) }),
  };
  return [...runs.slice(0, -1), ended];
}

/** A worker with lines more that its handler module printed. */
export const withPrinted = (worker: Worker, lines: readonly string[], at: number): Worker => ({
  ...worker,
  printed: [...(worker.printed ?? []), ...lines.map((line) => ({ at, line: line.slice(0, LINE_KEPT) }))].slice(
    -LINES_KEPT,
  ),
});
