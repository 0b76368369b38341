import Big from 'big.js';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import {
  either,
  manyOf,
  NUMBER,
  oneOf,
  orNull,
  type OutputSchema,
  ownObject,
  TEXT,
  TIME,
  YES_NO,
} from '../../cli/model/output-schema.ts';
import { dollarsOf, option } from '../../cli/model/params.ts';
import {
  diskSize,
  type Rate,
  RATE_PARTS,
  rateOf,
  rateText,
  readWorkers,
  rowsUnlessFailed,
  withStoppedDisk,
} from '../../cli/money.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { countOf } from '../../cli/words.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { itemsAt, type Json, memberAt, stringAt, stringOf } from '../../core/json.ts';
import { berth, sentence } from '../../core/message.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../core/unit-types.ts';
import { formatDuration, formatTimestamp, parseDuration } from '../../core/units.ts';
import { money, text } from '../../output/cells.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import { type Column, idOf, type View } from '../../output/view.ts';
import {
  amountAt,
  BY_KIND,
  type BilledReport,
  chart,
  costOf,
  costsOf,
  DAY_PARTS,
  formatMoney,
  KINDS,
  type Kind,
  type Money,
  moneyJson,
  monthStart,
  readRecords,
  RESOURCE_PARTS,
  sum,
  SUMMARY,
  usd,
} from './costs.ts';

const amounts = (parts: readonly string[]): Readonly<Record<string, OutputSchema>> =>
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
  output: COST_REPORT,
  summary: 'show what costs most, what is idle, and what the month will cost',
  details:
    'Idle are pods in ERROR, endpoints with idle workers only, and volumes that nothing mounts. Days are UTC. Container disks have no published price and are not in the forecast.',
  options: {
    last: option.text('whole days until now, or the calendar month (default 30d)', { metavar: 'TIME|month' }),
    by: option.choice('what a row is', GROUPINGS, { initial: 'resource' }),
    budget: option.text('end 15 when this month (or --last) cost more', { metavar: 'USD' }),
  },
  exits: [EXIT.limitExceeded],
  examples: [
    ['berth billing report', 'what costs most'],
    ['berth billing report --by day --last 7d', 'the last days'],
    ['berth billing report --budget 2000', 'end 15 when this month cost more than 2000 dollars'],
  ],
  run: async (ctx, { by, ...values }) => {
    const dollars = dollarsOf('budget', values.budget);
    const budget = dollars === undefined ? undefined : new Big(dollars);
    const now = await ctx.fetchServiceNow({ overHttp: true });
    const last = values.last ?? (budget === undefined ? '30d' : MONTH);
    const start = last === MONTH ? monthStart(now) : startOf(last, now);
    const [month, end] = [monthStart(now), dayStart(now) + DAY_MS];
    const [days, costs, lists] = await Promise.all([
      readRecords(ctx, SUMMARY, Math.min(start, month), end),
      Promise.all(KINDS.map(async (kind) => costsOf(kind, await readRecords(ctx, BY_KIND[kind], start, end)))),
      readLists(ctx),
    ]);
    const workers = await readWorkers(ctx, lists.endpoint ?? []);
    const rate = rateOf({ pods: lists.pod, endpoints: lists.endpoint, volumes: lists.volume, ...workers });
    const nameOf = (kind: Kind, id: string): string | null =>
      stringAt(lists[kind]?.find((row) => idOf(row) === id) ?? null, 'name') ?? null;
    const since = (at: EpochMs): readonly Json[] => days.filter((day) => Date.parse(startOfDay(day)) >= at);
    const resources = costs
      .flat()
      .toSorted((a, b) => b.total.cmp(a.total) || (a.id < b.id ? -1 : 1))
      .map(({ kind, id, ...cost }) => ({ kind, id, name: nameOf(kind, id), ...cost }));
    const rows =
      by === 'day'
        ? since(start)
            .map((day) => ({ day: startOfDay(day).slice(0, 10), ...costOf([day], SUMMARY, DAY_PARTS) }))
            .toSorted((a, b) => (a.day < b.day ? -1 : 1))
        : resources.map((row) => ({ ...row, kind: row.kind.replace('-', ' ') }));
    const total = sum(rows.map((row) => row.total));
    const idle = idleOf(lists, workers.workers).map(({ onlyDisk = false, ...row }) => {
      const own = resources.filter(({ kind, id }) => kind === row.kind && id === row.id);
      const cost = sum(own.flatMap((each) => (onlyDisk ? (each.parts['storage'] ?? []) : each.total)));
      return { ...row, name: nameOf(row.kind, row.id), cost };
    });
    const spent = sum(since(month).map((day) => amountAt(day, 'totalAmount')));
    const hoursLeft = (monthStart(now, 1) - now) / HOUR_MS;
    const expected = spent.plus(new Big(rate.total).times(hoursLeft).round(4));
    const document = {
      from: formatTimestamp(start),
      to: formatTimestamp(now),
      by: by ?? 'resource',
      ...usd({ total }),
      rows: rows.map(({ total: all, parts, ...row }) => ({ ...row, ...usd({ total: all, ...parts }) })),
      idle: idle.map(({ cost, ...row }) => ({ ...row, ...usd({ cost }) })),
      forecast: { month: formatTimestamp(month).slice(0, 7), ...usd({ spent, total: expected }) },
      rate: rateJson(rate),
      budget: budget === undefined ? null : { usd: moneyJson(budget), exceeded: total.gt(budget) },
    };
    const why = rate.unknown.length === 0 ? '' : ` (${rate.unknown.join(', ')})`;
    const notes = [
      `Total ${formatMoney(total)} from ${document.from.slice(0, 10)} to ${document.to.slice(0, 10)} (UTC).`,
      ...idle.map(
        ({ kind, id, name, why, cost }) =>
          `Idle: ${kind} ${name ? `${name} (${id})` : id} ${why}: ${formatMoney(cost)}`,
      ),
      `${document.forecast.month}: ${formatMoney(spent)} so far, about ${formatMoney(expected)} by its end, ${rateText(rate)}${why}.`,
    ];
    return {
      kind: 'many',
      view: viewOf(ctx, by === 'day' ? DAY_PARTS : RESOURCE_PARTS, document.rows),
      values: document.rows,
      whole: { document, member: 'rows' },
      notes: isTableOutput(ctx.output) ? notes : [],
      failure: budget !== undefined && total.gt(budget) ? overBudget(total, budget, last) : undefined,
    };
  },
});

const dayStart = (at: EpochMs): EpochMs => Math.floor(at / DAY_MS) * DAY_MS;

const startOfDay = (day: Json): string => stringAt(day, 'startTime') ?? '';

type Lists = Readonly<Partial<Record<Kind, readonly Json[]>>>;

/** Without the lists that cannot be read. */
async function readLists(ctx: CommandContext): Promise<Lists> {
  const read = KINDS.map(async (kind) => {
    const { of }: BilledReport = BY_KIND[kind];
    const rows = of && (await rowsUnlessFailed(ctx, of.lookup));
    return rows === undefined ? [] : [[kind, rows] as const];
  });
  return Object.fromEntries((await Promise.all(read)).flat());
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

/** US dollars an hour, rounded to millionths to drop the float error of the sum. */
function rateJson({ total, parts, unknown }: Rate): Json {
  const rounded = RATE_PARTS.map((part) => [part, new Big(parts[part] ?? 0).round(6)] as const);
  return { ...usd({ total: new Big(total).round(6), ...Object.fromEntries(rounded) }), unknown };
}

function startOf(last: string, now: EpochMs): EpochMs {
  const lastMs = parseDuration(last, 'd', '--last');
  if (lastMs < DAY_MS || lastMs > now)
    throw usage(`--last must be at least a day, not ${formatDuration(lastMs)}`, 'Use --last 30d, or --last month.');
  return dayStart(now) + (1 - Math.ceil(lastMs / DAY_MS)) * DAY_MS;
}

const overBudget = (total: Money, budget: Money, last: string): Failure =>
  new Failure({
    code: 'limit-exceeded',
    exit: EXIT.limitExceeded,
    message: `${formatMoney(total)} is above the budget of ${formatMoney(budget)} by ${formatMoney(total.minus(budget))}`,
    hint: sentence`See what costs most: ${berth`billing report --last ${last}`}`,
  });

function viewOf({ terminal }: CommandContext, parts: object, rows: readonly Json[]): View {
  const isByDay = parts === DAY_PARTS;
  const dollars = (part: string): Column => ({ header: part.toUpperCase(), show: money(`${part}Usd`), right: true });
  return {
    noun: ['cost', 'costs'],
    id: text(isByDay ? 'day' : 'id'),
    columns: [
      ...(isByDay
        ? [{ header: 'DAY (UTC)', show: text('day'), cutLast: true }]
        : [textColumn('name'), textColumn('id', { cutLast: true }), textColumn('kind')]),
      dollars('total'),
      ...(terminal.output ? [chart(rows, 'totalUsd')] : []),
      ...Object.keys(parts).map((part): Column => ({ ...dollars(part), dropFirst: true })),
    ],
  };
}
