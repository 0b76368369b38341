/** The frame of top: totals, a table of pods, a table of endpoints. Rows and a size in, lines out. */
import { RATE_PARTS, rateOf, rateText } from '../../cli/rate.ts';
import { countOf } from '../../cli/words.ts';
import { itemsAt, type Json, memberAt, numberAt, numberOf, objectAt, stringAt } from '../../core/json.ts';
import { safeText, say, type TerminalText } from '../../core/safe-text.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { formatDollars, formatDuration } from '../../core/units.ts';
import { nextDeadline, SOON_MS, waitingDeadline } from '../../guard/deadline.ts';
import { paintAll } from '../../output/cell-text.ts';
import { age, money, status, text } from '../../output/cells.ts';
import { formatRate, sparkline } from './samples.ts';
import { terminalTable } from '../../output/tables/terminal-table.ts';
import type { Paint, Piece } from '../../output/text/colour.ts';
import { styled } from '../../output/text/terminal-text.ts';
import { ellipsize } from '../../output/text/text-width.ts';
import type { Column, Shown, Tone } from '../../output/view.ts';
import type { Fleet } from './fleet.ts';
import type { Row, TopRows } from './rows.ts';

export const MIN_COLUMNS = 60;
const MIN_ROWS = 8;

export const fit = (pieces: readonly Piece[], columns: number, paint: Paint): TerminalText =>
  paintAll(ellipsize(pieces, columns), paint);

/** The totals, why the cost of an hour is a lower bound, and the line given. Of all rows, filtered or not. */
export function headLines(
  fleet: Fleet,
  { pods, endpoints }: TopRows,
  state: readonly Piece[],
  columns: number,
  paint: Paint,
): readonly TerminalText[] {
  const facts = { ...fleet.otherCosts, pods: fleet.pods, endpoints: fleet.endpoints };
  const rate = rateOf(facts, pods && endpoints ? RATE_PARTS : pods ? ['pods', 'clusters'] : ['workers']);
  const sum = (member: string): number =>
    (endpoints ?? []).reduce<number>((total, { data }) => total + (numberAt(data, member) ?? 0), 0);
  const hasRates = endpoints?.some(({ data }) => numberAt(data, 'completedPerMinute') !== undefined) === true;
  // Most important first: a narrow terminal cuts the last ones.
  const parts = [
    rateText(rate),
    fleet.spent && `${formatDollars(fleet.spent.total)} today`,
    endpoints && `${sum('inQueue')} waiting, ${sum('inProgress')} running`,
    hasRates
      ? `${formatRate(sum('completedPerMinute'))} done, ${formatRate(sum('failedPerMinute'))} failed a minute`
      : undefined,
    pods && countOf(fleet.pods?.length ?? 0, 'pod'),
    endpoints && countOf(fleet.endpoints?.length ?? 0, 'endpoint'),
  ];
  const totals = parts.filter((part) => part !== undefined).join('  ');
  const reason: Piece = { text: safeText(`at least: ${rate.unknown.join(', ')}`), tone: 'quiet' };
  return [
    fit([{ text: safeText(totals), tone: 'strong' }], columns, paint),
    ...(rate.unknown.length === 0 ? [] : [fit([reason], columns, paint)]),
    fit(state, columns, paint),
  ];
}

interface Frame extends TopRows {
  readonly head: readonly TerminalText[];
  readonly footer?: TerminalText;
  /** The key of a row. */
  readonly selected?: string | undefined;
  readonly now: EpochMs;
}

/** None wider than the terminal; one that is too small gets a line that says so. `rows`: undefined shows every row. */
export async function frameLines(
  frame: Frame,
  { columns, rows }: { readonly columns: number; readonly rows: number | undefined },
  paint: Paint,
): Promise<readonly TerminalText[]> {
  const { head, footer, pods, endpoints } = frame;
  if (columns < MIN_COLUMNS || (rows !== undefined && rows < MIN_ROWS))
    return [fit([{ text: say`top needs ${MIN_COLUMNS} columns and ${MIN_ROWS} rows` }], columns, paint)];
  const foot = footer === undefined ? [] : [footer];
  const gap = pods && endpoints ? [say``] : [];
  const room = rows === undefined ? Infinity : rows - head.length - foot.length - 1 - gap.length;
  const wanted = (of: readonly Row[] | undefined): number => (of === undefined ? 0 : Math.max(1, of.length) + 1);
  // Each table gets half of the room, and what the other leaves.
  const podLines = Math.min(wanted(pods), Math.max(Math.ceil(room / 2), room - wanted(endpoints)));
  const table = (kind: 'pods' | 'endpoints', lines: number): Promise<readonly TerminalText[]> =>
    tableLines(kind, frame, { lines, columns }, paint);
  const body = [
    ...(pods ? await table('pods', podLines) : []),
    ...gap,
    ...(endpoints ? await table('endpoints', room - podLines) : []),
  ];
  return [...filled([...head, say``, ...body], rows === undefined ? 0 : rows - foot.length), ...foot];
}

/** With blank lines at the end. */
export const filled = (lines: readonly TerminalText[], count: number): readonly TerminalText[] => [
  ...lines,
  ...Array.from({ length: Math.max(0, count - lines.length) }, () => say``),
];

/** `lines` includes the header. */
async function tableLines(
  kind: 'pods' | 'endpoints',
  { selected, now, ...all }: Frame,
  { lines, columns: width }: { readonly lines: number; readonly columns: number },
  paint: Paint,
): Promise<readonly TerminalText[]> {
  const rows = all[kind] ?? [];
  if (rows.length === 0) return [paint(say`  no ${kind}`, 'quiet')];
  const room = rows.length < lines ? rows.length : Math.max(1, lines - 2);
  const at = rows.findIndex(({ key }) => key === selected);
  const first = Math.max(0, Math.min(rows.length - room, at - room + 1));
  const shown = rows.slice(first, first + room).map(({ data, label, document, history }) => ({
    ...data,
    label,
    document,
    history: history.map((each) => each ?? null),
  }));
  const table = await terminalTable(COLUMNS[kind], shown, { facts: { now }, width: width - 2, wide: false, paint });
  const [header = say``, ...body] = table.split('\n').slice(0, room + 1) as TerminalText[];
  return [
    styled`  ${header}`,
    ...body.map((line, index) => styled`${first + index === at ? paint(say`> `, 'strong') : say`  `}${line}`),
    ...(room < rows.length ? [paint(say`  ${rows.length - room} more ${kind}: the arrows move`, 'quiet')] : []),
  ];
}

const TREND_COLUMNS = 12;
const OPTIONAL = { right: true, dropFirst: true } as const;

const trend = (most?: number): Column => ({
  header: 'TREND',
  show: (row) => ({ text: sparkline(itemsAt(row, 'history').map(numberOf), TREND_COLUMNS, most), tone: 'busy' }),
  dropFirst: true,
});

/** A number that is known, as `form` shows it. */
const number =
  (member: string, form: (value: number) => string, toneOf: (row: Json, value: number) => Tone = () => 'plain') =>
  (row: Json): Shown => {
    const value = numberAt(row, member);
    return value === undefined ? '' : { text: form(value), tone: toneOf(row, value) };
  };

const percent = (value: number): string => `${Math.round(value)}%`;
const seconds = (value: number): string => formatDuration(value * 1000);

const nameColumn = (header: string): Column => ({
  header,
  show: (row) => ({ text: text('label')(row), tone: 'strong' }),
});

const COSTS: readonly Column[] = [
  { header: '$/H', show: money('costPerHour'), right: true, always: true },
  { header: 'TODAY', show: money('costToday'), ...OPTIONAL },
];

const COLUMNS: Readonly<Record<'pods' | 'endpoints', readonly Column[]>> = {
  pods: [
    nameColumn('POD'),
    { header: 'STATUS', show: status(), cutLast: true, always: true },
    { header: 'GPU', show: number('gpuUtil', percent, (row) => (isIdle(row) ? 'warn' : 'plain')), right: true },
    trend(100),
    { header: 'MEM', show: number('gpuMemoryUtil', percent), ...OPTIONAL },
    { header: 'CPU', show: number('cpuUtil', percent), ...OPTIONAL },
    { header: 'RAM', show: number('memoryUtil', percent), ...OPTIONAL },
    ...COSTS,
    { header: 'AGE', show: age('createdAt'), ...OPTIONAL },
    { header: 'ENDS IN', show: (row, { now }) => endCell(memberAt(row, 'document') ?? null, now), ...OPTIONAL },
  ],
  endpoints: [
    nameColumn('ENDPOINT'),
    {
      header: 'WAIT',
      show: number('inQueue', formatRate, (row, jobs) => (jobs > 0 && busy(row).length === 0 ? 'warn' : 'plain')),
      right: true,
    },
    trend(),
    { header: 'RUN', show: number('inProgress', formatRate), right: true },
    { header: 'WORKERS', show: workersCell, cutLast: true },
    { header: 'DONE/M', show: number('completedPerMinute', formatRate), ...OPTIONAL },
    {
      header: 'FAIL/M',
      show: number('failedPerMinute', formatRate, (_, jobs) => (jobs > 0 ? 'bad' : 'plain')),
      ...OPTIONAL,
    },
    ...COSTS,
    { header: 'READ', show: number('readSecondsAgo', seconds), ...OPTIONAL },
  ],
};

function endCell(pod: Json, now: EpochMs): Shown {
  const next = nextDeadline(pod);
  // Counts from when the pod runs.
  if (next === undefined) return waitingDeadline(pod) === undefined ? undefined : 'waits';
  const leftMs = next.at - now;
  if (leftMs <= 0) return { text: 'overdue', tone: 'bad' };
  return { text: formatDuration(leftMs), tone: leftMs <= SOON_MS ? 'warn' : 'plain' };
}

/** Percent, over all samples kept. */
const IDLE_PERCENT = 5;
const IDLE_SAMPLES = 5;

function isIdle(row: Json): boolean {
  const known = itemsAt(row, 'history').flatMap((value) => numberOf(value) ?? []);
  const isRunning = stringAt(row, 'status') === 'RUNNING';
  return isRunning && known.length >= IDLE_SAMPLES && known.every((value) => value < IDLE_PERCENT);
}

/** States with workers, those that run first. */
const busy = (row: Json): readonly (readonly [state: string, count: number])[] =>
  Object.entries(objectAt(row, 'workers') ?? {})
    .map(([state, workers]) => [state, numberOf(workers) ?? 0] as const)
    .filter(([, workers]) => workers > 0)
    .sort(([a], [b]) => Number(b === 'running') - Number(a === 'running'));

const WORKER_TONES: Readonly<Record<string, Tone>> = {
  ...{ running: 'good', initializing: 'busy', throttled: 'warn', unhealthy: 'bad' },
};

function workersCell(row: Json): Shown {
  const states = busy(row);
  if (states.length === 0) return numberAt(row, 'readSecondsAgo') === undefined ? undefined : '0';
  return states.map(([state, workers]) => ({ text: `${workers} ${state}`, tone: WORKER_TONES[state] ?? 'plain' }));
}
