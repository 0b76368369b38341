import { ANY_OBJECT, ANYTHING, either, type OutputSchema, serviceObject, TEXT } from '../../cli/model/output-schema.ts';
import { otherMembers, textColumn } from '../../cli/resource/fields.ts';
import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { type Json, memberAt } from '../../core/json.ts';
import { duration, json, jsonBlock, status, text } from '../../output/cells.ts';
import { idOf, type Section, type View } from '../../output/view.ts';
import { jobError, jobOutcome, type JobOutcome } from '../../queue/job.ts';

const KNOWN = ['id', 'status', 'delayTime', 'executionTime', 'output', 'error'];

/** Specification 2.5. Times are milliseconds in practice (contract rules, queue API). */
export const jobView: View = {
  noun: ['job', 'jobs'],
  id: idOf,
  columns: [
    textColumn('id'),
    { header: 'STATUS', show: status('status'), cutLast: true },
    { header: 'DELAY', show: duration('delayTime', 'ms'), right: true },
    { header: 'EXECUTION', show: duration('executionTime', 'ms'), right: true },
    {
      header: 'RESULT',
      show: (row) => jobError(row)?.headline ?? json('output')(row),
    },
  ],
  detail: (row) => [
    {
      lines: [
        { label: 'id', value: text('id')(row) },
        { label: 'status', value: status('status')(row) },
        ...lineIf(row, 'delayTime', { label: 'delay', value: duration('delayTime', 'ms')(row) }),
        ...lineIf(row, 'executionTime', { label: 'execution', value: duration('executionTime', 'ms')(row) }),
        ...lineIf(row, 'output', { label: 'output', value: jsonBlock('output')(row) }),
        ...lineIf(row, 'error', { label: 'error', value: { text: jobError(row)?.text ?? '', tone: 'bad' } }),
        ...otherMembers(row, KNOWN),
      ],
    },
  ],
};

export const chunkView: View = {
  noun: ['chunk', 'chunks'],
  id: () => '',
  members: ['output', 'metrics'],
  columns: [
    { header: 'OUTPUT', show: json('output') },
    { header: 'METRICS', show: json('metrics') },
  ],
};

type Line = Section['lines'][number];

const lineIf = (row: Json, member: string, line: Line): readonly Line[] =>
  memberAt(row, member) === undefined ? [] : [line];

const EXIT_CODES: Readonly<Record<JobOutcome, ExitCode>> = {
  completed: EXIT.done,
  failed: EXIT.jobFailed,
  cancelled: EXIT.jobCancelled,
  timedOut: EXIT.jobTimedOut,
};

export const JOB_EXITS = [EXIT.jobFailed, EXIT.jobCancelled, EXIT.jobTimedOut];

/** 0 while it has not ended. */
export function exitOf(job: Json | undefined): ExitCode {
  const outcome = jobOutcome(job);
  return outcome === undefined ? EXIT.done : EXIT_CODES[outcome];
}

/** Specification 4.5: the service may add statuses and members. */
export const JOB: OutputSchema = serviceObject(
  { id: TEXT, status: { type: 'string', description: 'IN_QUEUE, IN_PROGRESS, COMPLETED, FAILED, ...' } },
  {
    delayTime: { type: 'number', description: 'milliseconds in the queue' },
    executionTime: { type: 'number', description: 'milliseconds of work' },
    output: ANYTHING,
    error: ANYTHING,
  },
);

/** A worker may send any value. */
export const CHUNK: OutputSchema = either(
  { ...serviceObject({ output: ANYTHING }, { metrics: ANY_OBJECT }), description: 'a chunk and its measurements' },
  ANYTHING,
);
