import { ANY_OBJECT, ANYTHING, either, type OutputSchema, serviceObject, TEXT } from '../../cli/model/output-schema.ts';
import { otherMembers, textColumn } from '../../cli/resource/fields.ts';
import { EXIT, type ExitCode } from '../../core/exit-codes.ts';
import { type Json, memberAt } from '../../core/json.ts';
import { milliseconds, json, jsonBlock, status, text } from '../../output/cells.ts';
import { type Column, idOf, type View } from '../../output/view.ts';
import { jobError, jobOutcome, type JobOutcome } from '../../queue/job.ts';

const LINES: readonly (readonly [member: string, label: string, show: Column['show']])[] = [
  ['id', 'id', (row) => text(row, 'id')],
  ['status', 'status', (row) => status(row, 'status')],
  ['delayTime', 'delay', (row) => milliseconds(row, 'delayTime')],
  ['executionTime', 'execution', (row) => milliseconds(row, 'executionTime')],
  ['output', 'output', (row) => jsonBlock(row, 'output')],
  ['error', 'error', (row) => ({ text: jobError(row)?.text ?? '', tone: 'bad' })],
];

const KNOWN = LINES.map(([member]) => member);

/** Specification 2.5. Times are milliseconds in practice (contract rules, queue API). */
export const jobView: View = {
  noun: ['job', 'jobs'],
  id: idOf,
  members: KNOWN,
  columns: [
    textColumn('id'),
    { header: 'STATUS', show: (row) => status(row, 'status'), cutLast: true },
    { header: 'DELAY', show: (row) => milliseconds(row, 'delayTime'), right: true },
    { header: 'EXECUTION', show: (row) => milliseconds(row, 'executionTime'), right: true },
    {
      header: 'RESULT',
      show: (row) => jobError(row)?.headline ?? json(row, 'output'),
    },
  ],
  detail: (row, facts) => [
    {
      lines: [
        ...LINES.filter(([member]) => memberAt(row, member) !== undefined).map(([, label, show]) => ({
          label,
          value: show(row, facts),
        })),
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
    { header: 'OUTPUT', show: (row) => json(row, 'output') },
    { header: 'METRICS', show: (row) => json(row, 'metrics') },
  ],
};

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
export const jobSchema = (): OutputSchema =>
  serviceObject(
    { id: TEXT, status: { type: 'string', description: 'IN_QUEUE, IN_PROGRESS, COMPLETED, FAILED, ...' } },
    {
      delayTime: { type: 'number', description: 'milliseconds in the queue' },
      executionTime: { type: 'number', description: 'milliseconds of work' },
      output: ANYTHING,
      error: ANYTHING,
    },
  );

/** A worker may send any value. */
export const chunkSchema = (): OutputSchema =>
  either(
    { ...serviceObject({ output: ANYTHING }, { metrics: ANY_OBJECT }), description: 'a chunk and its measurements' },
    ANYTHING,
  );
