import { cleanLine, type BatchAnalysis, type BatchStatus, type ShardHolder } from '../../../../batch/index.ts';
import { sentence, type Message } from '../../../../core/message.ts';
import { itemsAt, memberAt, numberAt, stringAt, type Json, type JsonObject } from '../../../../core/json.ts';
import { rangesOf } from '../../../../core/text/patterns/number-ranges.ts';
import { safeText } from '../../../../core/safe-text.ts';
import { countOf } from '../../../../cli/words/words.ts';
import { text } from '../../../../output/cells/cell-functions.ts';
import type { Section, View } from '../../../../output/view.ts';
import { quantilesOf } from './report-document.ts';
import { batchView, summaryOf, type SummaryMember } from './summary-view.ts';

/** What the status of every batch has. */
export type StatusMember = 'state' | 'begun' | SummaryMember;

/** Returns the object of a status; `others` are members of what the results show. */
export function statusMembers(status: BatchStatus, others: JsonObject = {}): JsonObject & Record<StatusMember, Json> {
  const { state, holder, unordered, shared, begunAt } = status;
  return {
    ...summaryOf(status),
    state,
    // Those of the process that works on the batch.
    ...(holder === undefined ? {} : { pid: holder.pid, host: holder.host }),
    ...(unordered ? { unordered } : {}),
    ...(shared === undefined ? {} : { ...shared, holders: shared.holders.map(holderMembers) }),
    begun: new Date(begunAt).toISOString(),
    ...others,
  };
}

const holderMembers = ({ state, process, contactAt, leaseEndsAt, count, shards }: ShardHolder): JsonObject => ({
  state,
  ...(process === undefined ? {} : { pid: process.pid, host: process.host }),
  ...(contactAt === undefined ? {} : { lastContact: new Date(contactAt).toISOString() }),
  leaseEnds: new Date(leaseEndsAt).toISOString(),
  count,
  shards,
});

const nameOf = (process: ShardHolder['process']): string =>
  process === undefined ? 'a driver of an earlier version' : `process ${process.pid} on ${safeText(process.host)}`;

/** One line for each driver that holds shards of the row. */
export const driversOf = (row: Json): readonly string[] =>
  itemsAt(row, 'holders').flatMap((holder) => {
    const [state, pid, host] = [stringAt(holder, 'state'), numberAt(holder, 'pid'), stringAt(holder, 'host')];
    if (state !== 'working' && state !== 'silent') return [];
    const contact = stringAt(holder, 'lastContact');
    const seen = contact === undefined ? '' : `, last contact ${contact}`;
    const name = nameOf(pid === undefined || host === undefined ? undefined : { pid, host });
    return [`${name}: ${countOf(numberAt(holder, 'count') ?? 0, 'shard')}${seen}`];
  });

/** Explains the shards that no driver works on: a line for each driver that had some. */
export function idleShardNotes({ state, shared }: BatchStatus): readonly string[] {
  const next =
    state === 'running' ? 'A driver that is at work takes them over next.' : 'The next driver takes them over.';
  return (shared?.holders ?? []).flatMap((holder) => {
    if (holder.state === 'working') return [];
    const { count, shards, process, contactAt, leaseEndsAt } = holder;
    const more = count > shards.length ? ', ...' : '';
    const what = `No driver works on ${countOf(count, 'shard')} (${rangesOf(shards)}${more})`;
    if (holder.state === 'left') return [`${what}: the driver that had them has ended. ${next}`];
    const heard = contactAt === undefined ? '' : ` and last answered at ${new Date(contactAt).toISOString()}`;
    const after = `after its lease, at ${new Date(leaseEndsAt).toISOString()}`;
    return holder.state === 'gone'
      ? [`${what}: ${nameOf(process)} worked on them${heard}. Its lease has ended. ${next}`]
      : [`${what}: ${nameOf(process)} holds them${heard}. Another driver may take them over ${after}.`];
  });
}

/** Names the files that no reader of the results may take for a part, and what removes them. */
export function unpublishedNotes(count: number, reference: readonly string[]): readonly Message[] {
  if (count === 0) return [];
  const [are, them] = count === 1 ? ['is', 'it'] : ['are', 'them'];
  return [
    sentence`${countOf(count, 'file')} in the folder of the results ${are} of this batch and not published: do not read ${them}. To remove ${them}: ${cleanLine(reference)}`,
  ];
}

/** Groups of errors that the status names; the report has all. */
const MAX_ERRORS = 3;

export const commonestErrors = (analysis: BatchAnalysis | undefined) =>
  analysis?.failures.groups.slice(0, MAX_ERRORS) ?? [];

/** The state of a batch of either store; `analysis` is what its results show. */
export const statusView = (analysis?: BatchAnalysis): View => ({
  ...batchView,
  detail: (row, facts) => {
    const [about, counts] = batchView.detail?.(row, facts) ?? [];
    return [
      { lines: [...aboutLines(row, about?.lines ?? []), ...timeLines(analysis)] },
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

/** Where drivers share a batch, its results are in a folder, and its state is more than one word. */
function aboutLines(row: Json, lines: Section['lines']): Section['lines'] {
  if (memberAt(row, 'drivers') === undefined) return lines;
  return [
    ...lines.filter(({ label }) => label !== 'state' && label !== 'results'),
    { label: 'results', value: text('out')(row) },
    { label: 'state', value: text('state')(row) },
    { label: 'drivers', value: text('drivers')(row) },
    ...driversOf(row).map((value) => ({ label: '', value })),
    { label: 'shards', value: `${text('doneShards')(row)} of ${text('shards')(row)} done` },
  ];
}

const timeLines = (analysis: BatchAnalysis | undefined): Section['lines'] => [
  ...(analysis?.execution === undefined ? [] : [{ label: 'execution time', value: quantilesOf(analysis.execution) }]),
  ...(analysis?.delay === undefined ? [] : [{ label: 'delay', value: quantilesOf(analysis.delay) }]),
];
