/** The frame of top: totals, a table of pods, a table of endpoints. Rows and a size in, lines out. */
import { RATE_PARTS, rateOf, rateText } from '../../cli/rate.ts';
import { countOf } from '../../cli/words.ts';
import {
  itemsAt,
  type Json,
  type JsonObject,
  memberAt,
  numberAt,
  numberOf,
  objectAt,
  stringAt,
} from '../../core/json.ts';
import { safeText, say, type TerminalText } from '../../core/safe-text.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { formatDollars, formatDuration } from '../../core/units.ts';
import { nextDeadline, SOON_MS, waitingDeadline } from '../../guard/deadline.ts';
import { paintAll, sparkline } from '../../output/cell-text.ts';
import { age, money, status, text } from '../../output/cells.ts';
import { formatRate } from '../../output/samples.ts';
import { terminalTable } from '../../output/tables/terminal-table.ts';
import type { Paint, Piece } from '../../output/text/colour.ts';
import { styled } from '../../output/text/terminal-text.ts';
import { ellipsize } from '../../output/text/text-width.ts';
import type { Column, Shown, Tone } from '../../output/view.ts';
import type { Fleet } from './fleet.ts';
import type { Row, TopRows } from './rows.ts';

export interface FrameSize {
  /** Infinity cuts nothing in the head. */
  readonly columns: number;
  /** Undefined shows every row. */
  readonly rows: number | undefined;
}

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
  // Most important first: a narrow terminal cuts the last ones.
  const parts = [
    rateText(rate),
    ...(fleet.spent === undefined ? [] : [`${formatDollars(fleet.spent.total)} today`]),
    ...(endpoints === undefined ? [] : [`${sum('inQueue')} waiting, ${sum('inProgress')} running`]),
    ...(endpoints?.some(({ data }) => numberAt(data, 'completedPerMinute') !== undefined) === true
      ? [`${formatRate(sum('completedPerMinute'))} done, ${formatRate(sum('failedPerMinute'))} failed a minute`]
      : []),
    ...(pods === undefined ? [] : [countOf(fleet.pods?.length ?? 0, 'pod')]),
    ...(endpoints === undefined ? [] : [countOf(fleet.endpoints?.length ?? 0, 'endpoint')]),
  ];
  const reason: Piece = { text: safeText(`at least: ${rate.unknown.join(', ')}`), tone: 'quiet' };
  return [
    fit([{ text: safeText(parts.join('  ')), tone: 'strong' }], columns, paint),
    ...(rate.unknown.length === 0 ? [] : [fit([reason], columns, paint)]),
    fit(state, columns, paint),
  ];
}

export interface FrameInput extends TopRows {
  readonly head: readonly TerminalText[];
  readonly footer?: TerminalText;
  /** The key of a row. */
  readonly selected?: string | undefined;
  readonly now: EpochMs;
}

/** None wider than the terminal; a terminal that is too small gets one line that says so. */
export async function frameLines(
  { head, footer, pods, endpoints, selected, now }: FrameInput,
  { columns, rows }: FrameSize,
  paint: Paint,
): Promise<readonly TerminalText[]> {
  if (columns < MIN_COLUMNS || (rows !== undefined && rows < MIN_ROWS))
    return [fit([{ text: say`top needs ${MIN_COLUMNS} columns and ${MIN_ROWS} rows` }], columns, paint)];
  const foot = footer === undefined ? [] : [footer];
  const gap = pods && endpoints ? [say``] : [];
  const room = rows === undefined ? Infinity : rows - head.length - foot.length - 1 - gap.length;
  const [podLines, endpointLines] = shares(linesFor(pods), linesFor(endpoints), room);
  const table = { columns, selected, paint, now };
  const body = [
    ...(pods ? await tableLines(POD_COLUMNS, pods, 'pods', podLines, table) : []),
    ...gap,
    ...(endpoints ? await tableLines(ENDPOINT_COLUMNS, endpoints, 'endpoints', endpointLines, table) : []),
  ];
  return [...filled([...head, say``, ...body], rows === undefined ? 0 : rows - foot.length), ...foot];
}

/** With blank lines at the end. */
export const filled = (lines: readonly TerminalText[], count: number): readonly TerminalText[] => [
  ...lines,
  ...Array.from({ length: Math.max(0, count - lines.length) }, () => say``),
];

const linesFor = (rows: readonly Row[] | undefined): number => (rows === undefined ? 0 : Math.max(1, rows.length) + 1);

/** Each table gets half of the room, and what the other leaves. */
function shares(first: number, second: number, room: number): readonly [number, number] {
  if (first + second <= room) return [first, second];
  const half = Math.floor(room / 2);
  if (first <= half) return [first, room - first];
  return second <= half ? [room - second, second] : [room - half, half];
}

interface TableOptions extends Pick<FrameInput, 'selected' | 'now'> {
  readonly columns: number;
  readonly paint: Paint;
}

/** `lines` includes the header. */
async function tableLines(
  columns: readonly Column[],
  rows: readonly Row[],
  noun: string,
  lines: number,
  { selected, now, columns: width, paint }: TableOptions,
): Promise<readonly TerminalText[]> {
  if (rows.length === 0) return [paint(say`  no ${noun}`, 'quiet')];
  const room = rows.length < lines ? rows.length : Math.max(1, lines - 2);
  const at = rows.findIndex(({ key }) => key === selected);
  const first = Math.max(0, Math.min(rows.length - room, at - room + 1));
  const shown = rows.slice(first, first + room).map(cellsOf);
  const table = await terminalTable(columns, shown, { facts: { now }, width: width - 2, wide: false, paint });
  const [header = say``, ...body] = table.split('\n').slice(0, room + 1) as TerminalText[];
  return [
    styled`  ${header}`,
    ...body.map((line, index) => styled`${first + index === at ? paint(say`> `, 'strong') : say`  `}${line}`),
    ...(room < rows.length ? [paint(say`  ${rows.length - room} more ${noun}: the arrows move`, 'quiet')] : []),
  ];
}

/** What the columns show. */
const cellsOf = ({ data, label, document, history }: Row): JsonObject => ({
  ...data,
  label,
  document,
  history: history.map((value) => value ?? null),
});

const TREND_COLUMNS = 12;
const OPTIONAL = { right: true, dropFirst: true } as const;

const trend = (most?: number): Column => ({
  header: 'TREND',
  show: (row) => ({ text: sparkline(itemsAt(row, 'history').map(numberOf), TREND_COLUMNS, most), tone: 'busy' }),
  dropFirst: true,
});

const percent =
  (member: string) =>
  (row: Json): string => {
    const value = numberAt(row, member);
    return value === undefined ? '' : `${Math.round(value)}%`;
  };

const count =
  (member: string, toneOf: (row: Json, value: number) => Tone = () => 'plain') =>
  (row: Json): Shown => {
    const value = numberAt(row, member);
    return value === undefined ? '' : { text: formatRate(value), tone: toneOf(row, value) };
  };

const nameColumn = (header: string): Column => ({
  header,
  show: (row) => ({ text: text('label')(row), tone: 'strong' }),
});

const COSTS: readonly Column[] = [
  { header: '$/H', show: money('costPerHour'), right: true, always: true },
  { header: 'TODAY', show: money('costToday'), ...OPTIONAL },
];

const POD_COLUMNS: readonly Column[] = [
  nameColumn('POD'),
  { header: 'STATUS', show: status(), cutLast: true, always: true },
  {
    header: 'GPU',
    show: (row) => ({ text: percent('gpuUtil')(row), tone: isIdle(row) ? 'warn' : 'plain' }),
    right: true,
  },
  trend(100),
  { header: 'MEM', show: percent('gpuMemoryUtil'), ...OPTIONAL },
  { header: 'CPU', show: percent('cpuUtil'), ...OPTIONAL },
  { header: 'RAM', show: percent('memoryUtil'), ...OPTIONAL },
  ...COSTS,
  { header: 'AGE', show: age('createdAt'), ...OPTIONAL },
  { header: 'ENDS IN', show: (row, { now }) => endCell(memberAt(row, 'document') ?? null, now), ...OPTIONAL },
];

const ENDPOINT_COLUMNS: readonly Column[] = [
  nameColumn('ENDPOINT'),
  {
    header: 'WAIT',
    show: count('inQueue', (row, jobs) => (jobs > 0 && busy(row).length === 0 ? 'warn' : 'plain')),
    right: true,
  },
  trend(),
  { header: 'RUN', show: count('inProgress'), right: true },
  { header: 'WORKERS', show: workersCell, cutLast: true },
  { header: 'DONE/M', show: count('completedPerMinute'), ...OPTIONAL },
  { header: 'FAIL/M', show: count('failedPerMinute', (_, jobs) => (jobs > 0 ? 'bad' : 'plain')), ...OPTIONAL },
  ...COSTS,
  {
    header: 'READ',
    show: (row) => {
      const seconds = numberAt(row, 'readSecondsAgo');
      return seconds === undefined ? '' : formatDuration(seconds * 1000);
    },
    ...OPTIONAL,
  },
];

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

function workersCell(row: Json): Shown {
  const states = busy(row).map(([state, workers]) => ({
    text: `${workers} ${state}`,
    tone: WORKER_TONES[state] ?? 'plain',
  }));
  return states.length > 0 ? states : numberAt(row, 'readSecondsAgo') === undefined ? undefined : '0';
}

const WORKER_TONES: Readonly<Record<string, Tone>> = {
  running: 'good',
  initializing: 'busy',
  throttled: 'warn',
  unhealthy: 'bad',
};
