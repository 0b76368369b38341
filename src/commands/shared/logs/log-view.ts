import { text } from '../../../output/cells/cell-functions.ts';
import type { View } from '../../../output/view.ts';
import { textColumn } from '../../../cli/resource/fields/detail-lines.ts';
import { manyOf, serviceObject, TEXT } from '../../../cli/model/output-schema.ts';

/** A line of a log (contract rules, Pods: logs). */
export const logView: View = {
  noun: ['line', 'lines'],
  id: text('ts'),
  members: ['ts', 'source', 'line'],
  columns: [{ header: 'TIME', show: text('ts') }, textColumn('source'), textColumn('line')],
};

/** The lines of a log; with several logs, `log` names that of each line. */
export const LOG_LINES = manyOf(serviceObject({}, { log: TEXT, ts: TEXT, source: TEXT, line: TEXT }));
