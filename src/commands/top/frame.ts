/** The frame of top: totals, a table of pods, a table of endpoints. Rows and a size in, lines out. */
import { countOf } from '../../cli/words.ts';
import type { Json } from '../../core/json.ts';
import { safeText, say, type TerminalText } from '../../core/safe-text.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import { formatDollars, formatDuration } from '../../core/units.ts';
import { nextDeadline, SOON_MS, waitingDeadline } from '../../guard/deadline.ts';
import { paintAll, sparkline } from '../../output/cell-text.ts';
import { age, status } from '../../output/cells.ts';
import { formatRate } from '../../output/samples.ts';
import { terminalTable } from '../../output/tables/terminal-table.ts';
import type { Paint, Piece } from '../../output/text/colour.ts';
import { styled } from '../../output/text/terminal-text.ts';
import { ellipsize, piecesWidth, wrap } from '../../output/text/text-width.ts';
import type { Column, Shown, Tone } from '../../output/view.ts';
import { type EndpointRow, type PodRow, rowKey, type Series, type TopRows, type Totals } from './rows.ts';

export interface FrameInput extends TopRows {
  readonly status: readonly Piece[];
  readonly now: EpochMs;
  readonly selected?: string | undefined;
  readonly footer?: readonly Piece[];
}

export interface FrameSize {
  readonly columns: number;
  /** Undefined shows every row. */
  readonly rows: number | undefined;
  /** Output is not a terminal: the head is neither cut nor wrapped. */
  readonly isWholeHead?: boolean;
}

export const MIN_COLUMNS = 60;
const MIN_ROWS = 8;

export const fit = (pieces: readonly Piece[], columns: number, paint: Paint): TerminalText =>
  paintAll(ellipsize(pieces, columns), paint);

/** Why the cost of an hour is a lower bound is shown completely or, on a low terminal, not at all. */
export function headLines(
  { totals, status: state, pods, endpoints }: Pick<FrameInput, keyof TopRows | 'status'>,
  { columns, rows, isWholeHead = false }: FrameSize,
  paint: Paint,
): readonly TerminalText[] {
  const width = isWholeHead ? Infinity : columns;
  const { unknown } = totals.rate;
  const reason = unknown.length === 0 ? [] : wrap(safeText(`at least: ${unknown.join(', ')}`), width);
  let first: readonly Piece[] = [];
  // Most important first: a narrow terminal leaves the last ones out.
  for (const part of totalParts(totals, pods !== undefined, endpoints !== undefined)) {
    const longer = first.length === 0 ? part : [...first, { text: say`  ` }, ...part];
    if (piecesWidth(longer) <= width) first = longer;
  }
  return [
    paintAll(first, paint),
    ...(rows !== undefined && reason.length * 6 > rows ? [] : reason.map((line) => paint(line, 'quiet'))),
    fit(state, width, paint),
  ];
}

function totalParts(totals: Totals, pods: boolean, endpoints: boolean): readonly (readonly Piece[])[] {
  const { rate, spentToday, waiting, running, completedRate, failedRate } = totals;
  const part = (strong: string, rest: string): readonly Piece[] => [
    { text: safeText(strong), tone: 'strong' },
    { text: safeText(rest) },
  ];
  return [
    part(`${rate.unknown.length === 0 ? '' : 'at least '}${formatDollars(rate.total)}`, '/h'),
    ...(spentToday === undefined ? [] : [part(formatDollars(spentToday), ' today')]),
    ...(endpoints ? [[...part(String(waiting), ' waiting, '), ...part(String(running), ' running')]] : []),
    ...(endpoints && completedRate !== undefined
      ? [part('', `${formatRate(completedRate)} done, ${formatRate(failedRate ?? 0)} failed a minute`)]
      : []),
    ...(pods ? [part('', countOf(totals.pods, 'pod'))] : []),
    ...(endpoints ? [part('', countOf(totals.endpoints, 'endpoint'))] : []),
  ];
}

/** None wider than the terminal; a terminal that is too small gets one line that says so. */
export async function frameLines(input: FrameInput, size: FrameSize, paint: Paint): Promise<readonly TerminalText[]> {
  const { columns, rows } = size;
  if (columns < MIN_COLUMNS || (rows !== undefined && rows < MIN_ROWS))
    return [fit([{ text: say`top needs ${MIN_COLUMNS} columns and ${MIN_ROWS} rows` }], columns, paint)];
  const { pods, endpoints, footer, now } = input;
  const foot = footer === undefined ? [] : [fit(footer, columns, paint)];
  const head = headLines(input, size, paint);
  const gap = pods && endpoints ? 1 : 0;
  const room = rows === undefined ? Infinity : rows - head.length - foot.length - 1 - gap;
  const [podLines, endpointLines] = shares(linesFor(pods), linesFor(endpoints), room);
  const options = { selected: input.selected, columns, paint, now };
  const body = [
    ...(pods ? await tableLines(podColumns, pods, 'pods', { ...options, lines: podLines }) : []),
    ...(gap > 0 ? [say``] : []),
    ...(endpoints
      ? await tableLines(endpointColumns, endpoints, 'endpoints', { ...options, lines: endpointLines })
      : []),
  ];
  const blank = rows === undefined ? 0 : Math.max(0, room + gap - body.length);
  return [...head, say``, ...body, ...Array.from({ length: blank }, () => say``), ...foot];
}

const linesFor = (rows: readonly unknown[] | undefined): number =>
  rows === undefined ? 0 : Math.max(1, rows.length) + 1;

/** Each table gets half of the room, and what the other leaves. */
function shares(first: number, second: number, room: number): readonly [number, number] {
  if (first + second <= room) return [first, second];
  const half = Math.floor(room / 2);
  if (first <= half) return [first, room - first];
  return second <= half ? [room - second, second] : [room - half, half];
}

interface TableOptions {
  readonly columns: number;
  readonly selected: string | undefined;
  readonly paint: Paint;
  /** Includes the header. */
  readonly lines: number;
  readonly now: EpochMs;
}

async function tableLines<R extends PodRow | EndpointRow>(
  columnsOf: (rows: readonly R[]) => readonly Column[],
  rows: readonly R[],
  noun: string,
  { columns, selected, paint, lines, now }: TableOptions,
): Promise<readonly TerminalText[]> {
  if (rows.length === 0) return [paint(say`  no ${noun}`, 'quiet')];
  const room = rows.length <= lines - 1 ? rows.length : Math.max(1, lines - 2);
  const at = rows.findIndex((row) => rowKey(row) === selected);
  const first = Math.max(0, Math.min(rows.length - room, at - room + 1));
  const shown = rows.slice(first, first + room);
  const indices = shown.map((_, index): Json => index);
  const table = await terminalTable(columnsOf(shown), indices, {
    ...{ facts: { now }, width: columns - 2, wide: false, paint },
  });
  const [header = say``, ...body] = table.split('\n').slice(0, room + 1) as TerminalText[];
  return [
    styled`  ${header}`,
    ...body.map((line, index) => styled`${first + index === at ? paint(say`> `, 'strong') : say`  `}${line}`),
    ...(room < rows.length ? [paint(say`  ${rows.length - room} more ${noun}: the arrows move`, 'quiet')] : []),
  ];
}

const TREND_COLUMNS = 12;

/** Columns show a row by its place among the rows. */
const columnOf =
  <R>(rows: readonly R[]) =>
  (header: string, show: (row: R, now: EpochMs) => Shown, more: Partial<Column> = {}): Column => ({
    header,
    show: (at, { now }) => {
      const row = rows[Number(at)];
      return row === undefined ? undefined : show(row, now);
    },
    ...more,
  });

const RIGHT = { right: true } as const;
const OPTIONAL = { right: true, dropFirst: true } as const;

const trend = ({ history }: Series, tone: Tone, most?: number): Shown => ({
  text: sparkline(history, TREND_COLUMNS, most),
  tone,
});

function podColumns(rows: readonly PodRow[]): readonly Column[] {
  const column = columnOf(rows);
  return [
    column('POD', nameCell),
    column('STATUS', ({ document }) => status()(document), { cutLast: true, always: true }),
    column('GPU', (row) => ({ text: percentText(row.gpu.now), tone: isIdle(row) ? 'warn' : 'plain' }), RIGHT),
    column('TREND', ({ gpu }) => trend(gpu, 'busy', 100), { dropFirst: true }),
    column('MEM', ({ gpuMemory }) => percentText(gpuMemory.now), OPTIONAL),
    column('CPU', ({ cpu }) => percentText(cpu), OPTIONAL),
    column('RAM', ({ memory }) => percentText(memory), OPTIONAL),
    column('$/H', ({ cost }) => dollars(cost), { right: true, always: true }),
    column('TODAY', ({ spentToday }) => dollars(spentToday), OPTIONAL),
    column('AGE', ({ document }, now) => age('createdAt')(document, { now }), OPTIONAL),
    column('ENDS IN', ({ document }, now) => endCell(document, now), OPTIONAL),
  ];
}

function endCell(pod: Json, now: EpochMs): Shown {
  const next = nextDeadline(pod);
  // Counts from when the pod runs.
  if (next === undefined) return waitingDeadline(pod) === undefined ? undefined : 'waits';
  const leftMs = next.at - now;
  if (leftMs <= 0) return { text: 'overdue', tone: 'bad' };
  return { text: formatDuration(leftMs), tone: leftMs <= SOON_MS ? 'warn' : 'plain' };
}

function endpointColumns(rows: readonly EndpointRow[]): readonly Column[] {
  const column = columnOf(rows);
  return [
    column('ENDPOINT', nameCell),
    column('WAIT', (row) => ({ text: countText(row.waiting.now), tone: isStuck(row) ? 'warn' : 'plain' }), RIGHT),
    column('TREND', ({ waiting }) => trend(waiting, 'busy'), { dropFirst: true }),
    column('RUN', ({ running }) => countText(running.now), RIGHT),
    column('WORKERS', workersCell, { cutLast: true }),
    column('DONE/M', ({ completedRate }) => countText(completedRate.now), OPTIONAL),
    column(
      'FAIL/M',
      ({ failedRate: { now } }) => ({ text: countText(now), tone: (now ?? 0) > 0 ? 'bad' : 'plain' }),
      OPTIONAL,
    ),
    column('$/H', ({ cost }) => dollars(cost), { right: true, always: true }),
    column('TODAY', ({ spentToday }) => dollars(spentToday), OPTIONAL),
    column('READ', ({ readMs }) => (readMs === undefined ? undefined : secondsText(readMs)), OPTIONAL),
  ];
}

const nameCell = ({ label }: PodRow | EndpointRow): Shown => ({ text: label, tone: 'strong' });

const dollars = (amount: number | undefined): string => (amount === undefined ? '-' : formatDollars(amount));

const percentText = (value: number | undefined): string => (value === undefined ? '-' : `${Math.round(value)}%`);

export const secondsText = (milliseconds: Milliseconds): string => {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  return seconds < 1000 ? `${seconds}s` : `${Math.min(999, Math.round(seconds / 60))}m`;
};

/** At most four characters. */
function countText(count: number | undefined): string {
  if (count === undefined) return '-';
  if (count < 10_000) return formatRate(count);
  if (count < 1e6) return `${Math.floor(count / 1000)}k`;
  return count < 1e9 ? `${Math.floor(count / 1e6)}M` : '>1G';
}

const isStuck = ({ waiting, workers }: EndpointRow): boolean =>
  (waiting.now ?? 0) > 0 && workers.every(([, count]) => count === 0);

/** Percent, over all samples kept. */
const IDLE_PERCENT = 5;
const IDLE_SAMPLES = 5;

function isIdle({ status: state, gpu }: PodRow): boolean {
  const known = gpu.history.filter((value) => value !== undefined);
  return state === 'RUNNING' && known.length >= IDLE_SAMPLES && known.every((value) => value < IDLE_PERCENT);
}

/** Those that run first. */
function workersCell({ workers, readMs }: EndpointRow): Shown {
  const busy = workers.filter(([, count]) => count > 0);
  const states = [...busy].sort(([a], [b]) => Number(b === 'running') - Number(a === 'running'));
  if (states.length === 0) return readMs === undefined ? '-' : '0';
  return states.map(([state, count]) => ({ text: `${count} ${state}`, tone: WORKER_TONES[state] ?? 'plain' }));
}

const WORKER_TONES: Readonly<Record<string, Tone>> = {
  running: 'good',
  initializing: 'busy',
  throttled: 'warn',
  unhealthy: 'bad',
};
