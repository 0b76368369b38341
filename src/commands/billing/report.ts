import Big from 'big.js';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { either, manyOf, NUMBER, oneOf, orNull, ownObject, TEXT, TIME, YES_NO } from '../../cli/model/output-schema.ts';
import { option } from '../../cli/model/params.ts';
import { diskSize, RATE_PARTS, rateOf, rateText, readWorkers, withStoppedDisk } from '../account/rate.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { countOf } from '../../cli/words.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { itemsAt, type Json, memberAt, stringAt, stringOf } from '../../core/json.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../core/unit-types.ts';
import { formatDollars, formatDuration, formatTimestamp, parseDuration } from '../../core/units.ts';
import { money, text } from '../../output/cells.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import { type Column, idOf, type View } from '../../output/view.ts';
import {
  chart,
  DAY_PARTS,
  formatMoney,
  type Kind,
  type Lists,
  monthStart,
  readDays,
  readLists,
  readResources,
  RESOURCE_PARTS,
  sum,
  usd,
} from './costs.ts';

const amounts = (parts: readonly string[]) =>
  Object.fromEntries(['total', ...parts].map((part) => [`${part}Usd`, NUMBER]));

const GROUPINGS = ['resource', 'day'] as const;

const COST_REPORT = ownObject({
  from: TIME,
  to: TIME,
  by: oneOf(...GROUPINGS),
  totalUsd: NUMBER,
  rows: manyOf(
    either(
      ownObject({ kind: TEXT, id: TEXT, name: orNull(TEXT), ...amounts(Object.keys(RESOURCE_PARTS)) }),
      ownObject({ day: TEXT, ...amounts(Object.keys(DAY_PARTS)) }),
    ),
  ),
  idle: manyOf(ownObject({ kind: TEXT, id: TEXT, name: orNull(TEXT), why: TEXT, costUsd: NUMBER })),
  forecast: ownObject({ month: TEXT, spentUsd: NUMBER, totalUsd: NUMBER }),
  rate: ownObject({ ...amounts(RATE_PARTS), unknown: manyOf(TEXT) }),
  budget: orNull(ownObject({ usd: NUMBER, exceeded: YES_NO })),
});

/** The calendar month in UTC, up to now. */
const MONTH = 'month';

export const report = defineCommand({
  output: () => COST_REPORT,
  summary: 'show what costs most, what is idle, and what the month will cost',
  details:
    'Idle are pods in ERROR, endpoints with idle workers only, and volumes that nothing mounts. Days are UTC. Container disks have no published price and are not in the forecast.',
  options: {
    last: option.text('whole days until now, or the calendar month (default 30d)', { metavar: 'TIME|month' }),
    by: option.choice('what a row is', GROUPINGS, { initial: 'resource' }),
    budget: option.dollars('end 15 when this month (or --last) cost more'),
  },
  exits: [EXIT.limitExceeded],
  examples: [
    ['berth billing report', 'what costs most'],
    ['berth billing report --by day --last 7d', 'the last days'],
    ['berth billing report --budget 2000', 'end 15 when this month cost more than 2000 dollars'],
  ],
  run: async (ctx, { by = 'resource', budget, ...values }) => {
    const now = await ctx.fetchServiceNow({ overHttp: true });
    const last = values.last ?? (budget === undefined ? '30d' : MONTH);
    const [month, end] = [monthStart(now), dayStart(now) + DAY_MS];
    const start = last === MONTH ? month : startOf(last, now);
    const [days, resources, lists] = await Promise.all([
      readDays(ctx, Math.min(start, month), end),
      readResources(ctx, start, end),
      readLists(ctx),
    ]);
    const workers = await readWorkers(ctx, lists.endpoint ?? []);
    const rate = rateOf({ pods: lists.pod, endpoints: lists.endpoint, volumes: lists.volume, ...workers });
    const nameOf = (kind: Kind, id: string): string | null =>
      stringAt(
        lists[kind]?.find((row) => idOf(row) === id),
        'name',
      ) ?? null;
    const since = (at: EpochMs) => days.filter(({ day }) => Date.parse(day) >= at);
    const rows =
      by === 'day'
        ? since(start)
        : resources.map(({ kind, id, ...cost }) => ({
            kind: kind.replace('-', ' '),
            id,
            name: nameOf(kind, id),
            ...cost,
          }));
    const total = sum(rows.map((row) => row.total));
    const idle = idleOf(lists, workers.workers).map(({ onlyDisk = false, ...row }) => {
      const own = resources.filter(({ kind, id }) => kind === row.kind && id === row.id);
      const cost = sum(own.flatMap((each) => (onlyDisk ? (each.parts['storage'] ?? []) : each.total)));
      return { ...row, name: nameOf(row.kind, row.id), cost };
    });
    const spent = sum(since(month).map((day) => day.total));
    const hoursLeft = (monthStart(now, 1) - now) / HOUR_MS;
    const expected = spent.plus(new Big(rate.total).times(hoursLeft).round(4));
    // Millionths, to drop the float error of the sum.
    const rates = Object.entries({ total: rate.total, ...rate.parts }).map(
      ([part, value]) => [part, new Big(value).round(6)] as const,
    );
    const document = {
      from: formatTimestamp(start),
      to: formatTimestamp(now),
      by,
      ...usd({ total }),
      rows: rows.map(({ total: all, parts, ...row }) => ({ ...row, ...usd({ total: all, ...parts }) })),
      idle: idle.map(({ cost, ...row }) => ({ ...row, ...usd({ cost }) })),
      forecast: { month: formatTimestamp(month).slice(0, 7), ...usd({ spent, total: expected }) },
      rate: { ...usd(Object.fromEntries(rates)), unknown: rate.unknown },
      budget: budget === undefined ? null : { usd: budget, exceeded: total.gt(budget) },
    };
    const unknown = rate.unknown.length === 0 ? '' : ` (${rate.unknown.join(', ')})`;
    const notes = [
      `Total ${formatMoney(total)} from ${document.from.slice(0, 10)} to ${document.to.slice(0, 10)} (UTC).`,
      ...idle.map(
        ({ kind, id, name, why, cost }) =>
          `Idle: ${kind} ${name ? `${name} (${id})` : id} ${why}: ${formatMoney(cost)}`,
      ),
      `${document.forecast.month}: ${formatMoney(spent)} so far, about ${formatMoney(expected)} by its end, ${rateText(rate)}${unknown}.`,
    ];
    const over = budget !== undefined &&
      total.gt(budget) && {
        code: 'limit-exceeded',
        exit: EXIT.limitExceeded,
        message: `${formatMoney(total)} is above the budget of ${formatDollars(budget)} by ${formatMoney(total.minus(budget))}`,
      };
    return {
      kind: 'many',
      view: viewOf(ctx, by === 'day', document.rows),
      values: document.rows,
      whole: { document, member: 'rows' },
      notes: isTableOutput(ctx.output) ? notes : [],
      failure: over ? new Failure(over) : undefined,
    };
  },
});

const dayStart = (at: EpochMs): EpochMs => Math.floor(at / DAY_MS) * DAY_MS;

function startOf(last: string, now: EpochMs): EpochMs {
  const lastMs = parseDuration(last, 'd', '--last');
  if (lastMs < DAY_MS || lastMs > now)
    throw usage(`--last must be at least a day, not ${formatDuration(lastMs)}`, 'Use --last 30d, or --last month.');
  return dayStart(now) + (1 - Math.ceil(lastMs / DAY_MS)) * DAY_MS;
}

interface Idle {
  readonly kind: Kind;
  readonly id: string;
  readonly why: string;
  /** Its cost includes the time before it stopped. */
  readonly onlyDisk?: boolean;
}

/** Pods in ERROR, stopped pods with a disk, endpoints whose workers only wait, unmounted volumes. */
function idleOf(lists: Lists, workersOf: ReadonlyMap<string, readonly Json[]>): readonly Idle[] {
  const { pod: pods = [], endpoint: endpoints = [], volume: volumes = [] } = lists;
  const idle = (kind: Kind, row: Json, why: string): Idle => ({ kind, id: idOf(row), why });
  const waiting = endpoints.flatMap((endpoint) => {
    const workers = workersOf.get(idOf(endpoint)) ?? [];
    const isIdle = workers.length > 0 && workers.every((worker) => memberAt(worker, 'status') === 'IDLE');
    return isIdle ? [idle('endpoint', endpoint, `has ${countOf(workers.length, 'idle worker')}`)] : [];
  });
  const used = [
    // Includes pods of clusters.
    ...pods.flatMap((pod) => itemsAt(pod, 'mounts.network').map((mount) => stringAt(mount, 'volumeId'))),
    ...endpoints.flatMap((endpoint) => itemsAt(endpoint, 'networkVolumes').map(stringOf)),
  ];
  // Without one of the lists, an unread row may use the volume.
  const unused = lists.pod && lists.endpoint ? volumes.filter((volume) => !used.includes(idOf(volume))) : [];
  const stopped = withStoppedDisk(pods).map((pod) => idle('pod', pod, `is stopped, with a disk of ${diskSize([pod])}`));
  return [
    ...pods.filter((pod) => memberAt(pod, 'status') === 'ERROR').map((pod) => idle('pod', pod, 'is in ERROR')),
    ...stopped.map((row) => ({ ...row, onlyDisk: true })),
    ...waiting,
    ...unused.map((volume) => idle('volume', volume, 'is not mounted')),
  ];
}

function viewOf({ terminal }: CommandContext, isByDay: boolean, rows: readonly Json[]): View {
  const dollars = (part: string): Column => ({
    header: part.toUpperCase(),
    show: (row) => money(row, `${part}Usd`),
    right: true,
  });
  return {
    noun: ['cost', 'costs'],
    id: (row) => text(row, isByDay ? 'day' : 'id'),
    columns: [
      ...(isByDay
        ? [{ header: 'DAY (UTC)', show: (row: Json) => text(row, 'day'), cutLast: true }]
        : [textColumn('name'), textColumn('id', { cutLast: true }), textColumn('kind')]),
      dollars('total'),
      ...(terminal.output ? [chart(rows, 'totalUsd')] : []),
      ...Object.keys(isByDay ? DAY_PARTS : RESOURCE_PARTS).map((part): Column => ({
        ...dollars(part),
        dropFirst: true,
      })),
    ],
  };
}
