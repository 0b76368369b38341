import type { BatchAnalysis, BatchStatus } from '../../../../batch/index.ts';
import type { Json, JsonObject } from '../../../../core/json.ts';
import type { Section, View } from '../../../../output/view.ts';
import { quantilesOf } from './report-document.ts';
import { batchView, summaryOf, type SummaryMember } from './summary-view.ts';

/** What the status of every batch has. */
export type StatusMember = 'state' | 'begun' | SummaryMember;

/** Returns the object of a status; `others` are members of what the results show. */
export function statusMembers(status: BatchStatus, others: JsonObject = {}): JsonObject & Record<StatusMember, Json> {
  const { state, holder, unordered, begunAt } = status;
  return {
    ...summaryOf(status),
    state,
    // Those of the process that works on the batch.
    ...(holder === undefined ? {} : { pid: holder.pid, host: holder.host }),
    ...(unordered ? { unordered } : {}),
    begun: new Date(begunAt).toISOString(),
    ...others,
  };
}

/** Groups of errors that the status names; the report has all. */
const MAX_ERRORS = 3;

export const commonestErrors = (analysis: BatchAnalysis | undefined) =>
  analysis?.failures.groups.slice(0, MAX_ERRORS) ?? [];

/** The state of a batch; `analysis` is what its results show. */
export const statusView = (analysis?: BatchAnalysis): View => ({
  ...batchView,
  detail: (row, facts) => {
    const [about, counts] = batchView.detail?.(row, facts) ?? [];
    return [
      { lines: [...(about?.lines ?? []), ...timeLines(analysis)] },
      { lines: counts?.lines ?? [] },
      {
        lines: commonestErrors(analysis).map(({ pattern, count }) => ({
          label: 'error',
          value: { text: `${count} × ${pattern}`, tone: 'bad' },
        })),
      },
    ];
  },
});

const timeLines = (analysis: BatchAnalysis | undefined): Section['lines'] => [
  ...(analysis?.execution === undefined ? [] : [{ label: 'execution time', value: quantilesOf(analysis.execution) }]),
  ...(analysis?.delay === undefined ? [] : [{ label: 'delay', value: quantilesOf(analysis.delay) }]),
];
