import { text } from '../../../output/layout/cell-functions.ts';
import type { View } from '../../../output/view.ts';
import { textColumn } from '../../../cli/resource/detail-lines.ts';

/** A line of a log (contract rules, Pods: logs). */
export const logView: View = {
  noun: ['line', 'lines'],
  id: text('ts'),
  members: ['ts', 'source', 'line'],
  columns: [{ header: 'TIME', show: text('ts') }, textColumn('source'), textColumn('line')],
};
