import { safeText } from '../../../core/safe-text.ts';
import { formatDuration } from '../../../core/units.ts';
import { memberAt, numberOf, stringOf, type Json, type JsonObject } from '../../../core/json.ts';
import { describeCost } from '../../../batch/report/cost.ts';
import type { Accounting } from '../../../batch/store/items/item-states.ts';
import { commandLine } from '../../../cli/words.ts';
import { text } from '../../../output/layout/cells.ts';
import { memberHeader } from '../../../cli/resource/detail-lines.ts';
import type { Section, Tone, View } from '../../../output/view.ts';

/** The command line that goes on with a batch, for hints; `local` where it runs on the local service in this process. */
export const resumeLine = (local: boolean, path: string, ...flags: readonly string[]): string =>
  commandLine(...(local ? ['--local'] : []), 'jobs', 'batch', 'resume', path, ...flags);
export const batchStatusLine = (path: string): string => commandLine('jobs', 'batch', 'status', path);

/** What a summary says beside the counts. */
export interface SummaryFacts {
  readonly path: string;
  readonly endpoint: string;
  readonly input: string;
  readonly invalid: number;
  readonly unknownItems: readonly number[];
  readonly others?: JsonObject;
}

/** One object that accounts for a batch: `planned` is the sum of the eight counts that follow it. */
export const summaryOf = (sum: Accounting, facts: SummaryFacts): JsonObject => ({
  batch: facts.path,
  endpoint: facts.endpoint,
  input: facts.input,
  ...sum,
  invalid: facts.invalid,
  unknownItems: facts.unknownItems,
  ...facts.others,
});

const COUNTS: readonly (readonly [string, string, Tone])[] = [
  ['planned', 'planned', 'strong'],
  ['completed', 'completed', 'good'],
  ['failed', 'failed', 'bad'],
  ['cancelled', 'cancelled', 'bad'],
  ['timedOut', 'timed out', 'bad'],
  ['expired', 'expired', 'bad'],
  ['unknown', 'unknown', 'warn'],
  ['inFlight', 'in flight', 'busy'],
  ['waiting', 'waiting', 'quiet'],
  ['invalid', 'invalid, left out', 'warn'],
];

/** The counts of a batch; those that are nought are left out of what a person reads. */
export const batchView: View = {
  noun: ['batch', 'batches'],
  id: (row) => stringOf(memberAt(row, 'batch')) ?? '',
  columns: COUNTS.map(([name]) => ({ header: memberHeader(name), show: text(name), right: true })),
  detail: (row) => [
    {
      lines: [
        { label: 'results', value: text('batch')(row) },
        { label: 'endpoint', value: text('endpoint')(row) },
        { label: 'input', value: text('input')(row) },
        ...stateLine(row),
        ...(memberAt(row, 'begun') === undefined ? [] : [{ label: 'begun', value: text('begun')(row) }]),
        ...tookLine(row),
        ...costLine(row),
      ],
    },
    { lines: COUNTS.flatMap((count) => countLine(row, count)) },
  ],
};

/** `pid` and `host`: the process that is at work on it. */
function stateLine(row: Json): Section['lines'] {
  const [state, pid] = [stringOf(memberAt(row, 'state')), numberOf(memberAt(row, 'pid'))];
  if (state === undefined) return [];
  const host = stringOf(memberAt(row, 'host'));
  const unordered = memberAt(row, 'unordered') === true ? ', all have ended, the results are not in order yet' : '';
  const who = `process ${String(pid)}${host === undefined ? '' : ` on ${safeText(host)}`} is at work on it`;
  return [{ label: 'state', value: `${pid === undefined ? state : who}${unordered}` }];
}

function tookLine(row: Json): Section['lines'] {
  const seconds = numberOf(memberAt(row, 'tookSeconds'));
  return seconds === undefined ? [] : [{ label: 'took', value: formatDuration(seconds * 1000) }];
}

function costLine(row: Json): Section['lines'] {
  const cost = memberAt(row, 'executionCostUsd');
  const [low, high] = [numberOf(memberAt(cost, 'low')), numberOf(memberAt(cost, 'high'))];
  if (low === undefined || high === undefined) return [];
  const sinceResume = memberAt(cost, 'sinceResume') === true;
  return [{ label: 'execution cost', value: describeCost({ low, high, sinceResume }) }];
}

function countLine(row: Json, [name, label, tone]: readonly [string, string, Tone]): Section['lines'] {
  const shown = text(name)(row);
  if (shown === '0' && name !== 'completed') return [];
  const items = name === 'unknown' ? `: ${rangesOf((memberAt(row, 'unknownItems') ?? []) as readonly number[])}` : '';
  return [{ label, value: { text: `${shown}${items}`, tone } }];
}

/** Items as a person reads them: `3, 17-20, 40`. */
export const rangesOf = (items: Iterable<number>): string =>
  runsOf(items)
    .map(([from, to]) => (from === to ? String(from) : `${String(from)}-${String(to)}`))
    .join(', ');

/** Items in order, as runs of neighbours: the first and the last of each. */
export function runsOf(items: Iterable<number>): readonly (readonly [number, number])[] {
  const runs: [number, number][] = [];
  for (const item of items) {
    const last = runs.at(-1);
    if (last !== undefined && item === last[1] + 1) last[1] = item;
    else runs.push([item, item]);
  }
  return runs;
}
