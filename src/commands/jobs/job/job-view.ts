import { memberAt, type Json } from '../../../core/json.ts';
import { duration, json, jsonBlock, status, text } from '../../../output/cells/cell-functions.ts';
import { otherMembers, textColumn } from '../../../cli/resource/fields/detail-lines.ts';
import { idOf, type Section, type View } from '../../../output/view.ts';
import { jobError } from '../../../queue/job-error.ts';

const KNOWN = ['id', 'status', 'delayTime', 'executionTime', 'output', 'error'];

/** A job (specification 2.5). Times are milliseconds in practice (contract rules, queue API). */
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

/** One streamed chunk (specification 4.5, detail 4). */
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

/** Returns the line when the row has the member. */
const lineIf = (row: Json, member: string, line: Line): readonly Line[] =>
  memberAt(row, member) === undefined ? [] : [line];
