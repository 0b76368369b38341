import type { BatchStatus, BatchSummary, ExecutionCost } from '../../batch/index.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { itemsAt, type Json, memberAt, numberAt, numberOf, stringAt } from '../../core/json.ts';
import { rangesOf } from './options.ts';
import { safeText } from '../../core/safe-text.ts';
import { formatBytes, formatDollarRange, formatDuration } from '../../core/units.ts';
import { json, text } from '../../output/cells.ts';
import type { Section, Tone, View } from '../../output/view.ts';

/** `planned` is the sum of the eight counts after it. */
export const summaryOf = (batch: BatchSummary) => ({
  batch: batch.name,
  endpoint: batch.endpoint,
  input: batch.input,
  ...batch.counts,
  invalid: batch.invalid,
  resubmitted: batch.resubmitted,
  unknownItems: batch.unknownItems,
});

/** Of a sum of several. */
export const shardMembers = ({ shards, missingShards }: BatchStatus) =>
  shards === undefined || missingShards === undefined
    ? {}
    : {
        shards: shards.map((each) => ({ shard: each.shard?.index ?? 0, state: each.state, ...summaryOf(each) })),
        missingShards,
      };

export const OUTCOMES = [
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['timedOut', 'timed out'],
  ['cancelled', 'cancelled'],
  ['expired', 'expired'],
  ['unknown', 'unknown'],
  ['inFlight', 'in flight'],
  ['waiting', 'waiting'],
] as const;

const TONES: Readonly<Record<string, Tone>> = {
  completed: 'good',
  unknown: 'warn',
  inFlight: 'busy',
  waiting: 'quiet',
};

const COUNTS: readonly (readonly [string, string, Tone])[] = [
  ['planned', 'planned', 'strong'],
  ...OUTCOMES.map(([name, label]) => [name, label, TONES[name] ?? 'bad'] as const),
  ['invalid', 'invalid, left out', 'warn'],
  ['resubmitted', 'sent again', 'quiet'],
];

export const batchView: View = {
  noun: ['batch', 'batches'],
  id: (row) => stringAt(row, 'batch') ?? '',
  columns: COUNTS.map(([name]) => textColumn(name, { right: true })),
  detail: (row) => [
    {
      lines: [
        { label: 'results', value: text(row, 'batch') },
        { label: 'endpoint', value: text(row, 'endpoint') },
        { label: 'input', value: text(row, 'input') },
        ...stateLines(row),
        ...(memberAt(row, 'begun') === undefined ? [] : [{ label: 'begun', value: text(row, 'begun') }]),
        ...durationLine(row, 'tookSeconds', 'took'),
        ...durationLine(row, 'wallSeconds', 'to the last result'),
        ...costLines(row),
      ],
    },
    { lines: [...COUNTS.flatMap((count) => countLines(row, count)), ...itemsAt(row, 'shards').map(shardLine)] },
  ],
};

function stateLines(row: Json): Section['lines'] {
  const [state, pid] = [stringAt(row, 'state'), numberAt(row, 'pid')];
  if (state === undefined) return [];
  const host = stringAt(row, 'host');
  const unordered = memberAt(row, 'unordered') === true ? ', all have ended, the results are not in order yet' : '';
  const holder = `process ${String(pid)}${host === undefined ? '' : ` on ${safeText(host)}`} is at work on it`;
  return [{ label: 'state', value: `${pid === undefined ? state : holder}${unordered}` }];
}

const durationLine = (row: Json, member: string, label: string): Section['lines'] => {
  const seconds = numberAt(row, member);
  return seconds === undefined ? [] : [{ label, value: formatDuration(seconds * 1000) }];
};

function costLines(row: Json): Section['lines'] {
  const cost = memberAt(row, 'executionCostUsd');
  const [low, high] = [numberAt(cost, 'low'), numberAt(cost, 'high')];
  if (low === undefined || high === undefined) return [];
  const sinceResume = memberAt(cost, 'sinceResume') === true;
  return [{ label: 'execution cost', value: describeCost({ low, high, sinceResume }) }];
}

function countLines(row: Json, [name, label, tone]: readonly [string, string, Tone]): Section['lines'] {
  const count = text(row, name);
  if (count === '0' && name !== 'completed') return [];
  const items =
    name === 'unknown' ? rangesOf(itemsAt(row, 'unknownItems').flatMap((item) => numberOf(item) ?? [])) : '';
  const named = items === '' ? '' : ` (${count === '1' ? 'item' : 'items'} ${items})`;
  return [{ label, value: { text: `${count}${named}`, tone } }];
}

/** `shard 2  stopped: 20 completed, 5 waiting`. */
const shardLine = (shard: Json): Section['lines'][number] => {
  const counts = OUTCOMES.flatMap(([name, label]) => {
    const count = numberAt(shard, name) ?? 0;
    return count === 0 ? [] : [`${String(count)} ${label}`];
  });
  return {
    label: `shard ${text(shard, 'shard')}`,
    value: `${text(shard, 'state')}: ${counts.join(', ') || 'no items'}`,
  };
};

/** `12.5/s`, `3.2/min`, `0.5/h`. */
export function formatRate(perSecond: number): string {
  const [rate, unit] =
    perSecond >= 1 ? [perSecond, 's'] : perSecond >= 1 / 60 ? [perSecond * 60, 'min'] : [perSecond * 3600, 'h'];
  return `${rate.toFixed(rate < 100 ? 1 : 0)}/${unit}`;
}

/** `~$0.12`, `~$1.12 to $1.90`, `<$0.01` or `~$0.12 since resume`. */
export function describeCost({ low, high, sinceResume }: ExecutionCost): string {
  const range = formatDollarRange({ low, high });
  return `${range.startsWith('<') ? '' : '~'}${range}${sinceResume ? ' since resume' : ''}`;
}

export const dryRunView: View = {
  noun: ['batch', 'batches'],
  id: () => '',
  columns: ['planned', 'invalid', 'inputBytes', 'bodyBytes', 'largestBody'].map((name) =>
    textColumn(name, { right: true }),
  ),
  detail: (row) => [
    {
      lines: [
        { label: 'items', value: text(row, 'planned') },
        { label: 'invalid', value: text(row, 'invalid') },
        { label: 'to send', value: formatBytes(Number(text(row, 'bodyBytes'))) },
        { label: 'largest', value: formatBytes(Number(text(row, 'largestBody'))) },
        { label: 'first', value: json(row, 'first') },
      ],
    },
  ],
};
