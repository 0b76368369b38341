import type { BatchStatus } from '../../../batch/index.ts';
import { memberAt, type Json, type JsonObject } from '../../../core/json.ts';
import { text } from '../../../output/layout/cell-functions.ts';
import type { Section, View } from '../../../output/view.ts';
import { failuresOf, quantilesOf } from './report/members.ts';
import { batchView, summaryOf } from './view.ts';

/** Returns the object of a status; `others` are members of what the results show. */
export function statusMembers(status: BatchStatus, others: JsonObject = {}): JsonObject {
  const { state, holder, unordered, shared, begunAt } = status;
  return summaryOf(status, {
    state,
    // Those of the process that works on the batch.
    ...(holder === undefined ? {} : { pid: holder.pid, host: holder.host }),
    ...(unordered ? { unordered } : {}),
    ...shared,
    begun: new Date(begunAt).toISOString(),
    ...others,
  });
}

/** The state of a batch of either store. */
export const statusView: View = {
  ...batchView,
  detail: (row, facts) => {
    const [about, counts] = batchView.detail?.(row, facts) ?? [];
    return [
      { lines: [...aboutLines(row, about?.lines ?? []), ...timeLines(row)] },
      { lines: counts?.lines ?? [] },
      {
        lines: failuresOf(row, 'commonestErrors').map(({ pattern, count }) => ({
          label: 'error',
          value: { text: `${String(count)} × ${pattern}`, tone: 'bad' },
        })),
      },
    ];
  },
};

/** Where drivers share a batch, its results are in a folder, and its state is more than one word. */
function aboutLines(row: Json, lines: Section['lines']): Section['lines'] {
  if (memberAt(row, 'drivers') === undefined) return lines;
  return [
    ...lines.filter(({ label }) => label !== 'state' && label !== 'results'),
    { label: 'results', value: text('out')(row) },
    { label: 'state', value: text('state')(row) },
    { label: 'drivers', value: text('drivers')(row) },
    { label: 'shards', value: `${text('doneShards')(row)} of ${text('shards')(row)} done` },
  ];
}

const timeLines = (row: Json): Section['lines'] =>
  (['executionMs', 'delayMs'] as const).flatMap((path) => {
    const value = quantilesOf(row, path);
    return value === undefined ? [] : [{ label: path === 'delayMs' ? 'delay' : 'execution time', value }];
  });
