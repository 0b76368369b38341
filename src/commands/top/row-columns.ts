import type { EndpointRow, PodRow, Row, Series } from './rows.ts';
import { safeText, type SafeText, say } from '../../core/safe-text.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { formatDollars, formatDuration } from '../../core/units.ts';
import { nextDeadline, SOON_MS, waitingDeadline } from '../../guard/deadline.ts';
import { sparkline } from '../../output/cell-text.ts';
import { age, status } from '../../output/cells.ts';
import { formatRate } from '../../output/samples.ts';
import type { Piece } from '../../output/text/colour.ts';
import { piecesWidth } from '../../output/text/text-width.ts';
import type { Tone } from '../../output/view.ts';

/** Percent, over all samples kept. */
const IDLE_PERCENT = 5;
const IDLE_SAMPLES = 5;
/** The service's words have any length. */
const LONGEST_STATE = 20;

/** `now`: the service's time. */
export const podColumns = (pods: readonly PodRow[], now: EpochMs): readonly TopColumn<PodRow>[] => [
  { header: 'POD', widths: [10, 12, 18, 28, 40], rank: 0, cell: nameCell },
  {
    header: 'STATUS',
    widths: [7, 8, 12],
    rank: 0,
    whole: LONGEST_STATE,
    cell: (row) => [piece(status()(row.document).text, toneOf(row))],
  },
  {
    header: 'GPU',
    widths: [9, 11, 22, 40, 65],
    rank: 1,
    cell: ({ gpu, ...row }, width) => percentSeries(gpu, width, isIdle(row.status, gpu) ? 'warn' : 'busy'),
  },
  {
    header: 'MEM',
    widths: [4, 11, 22, 40, 65],
    rank: 2,
    cell: ({ gpuMemory }, width) => percentSeries(gpuMemory, width, 'busy'),
  },
  { header: 'CPU', widths: [4], rank: 3, right: true, whole: true, cell: ({ cpu }) => [piece(percentText(cpu))] },
  { header: 'RAM', widths: [4], rank: 6, right: true, whole: true, cell: ({ memory }) => [piece(percentText(memory))] },
  { header: '$/H', widths: [6, 7], rank: 1, right: true, whole: true, cell: hourCell },
  { header: 'TODAY', widths: [7, 8], rank: 4, right: true, whole: true, cell: todayCell },
  {
    header: 'AGE',
    widths: [4],
    rank: 5,
    right: true,
    whole: true,
    cell: (row) => [piece(age('createdAt')(row.document, { now }))],
  },
  ...(pods.some(({ document }) => nextDeadline(document) ?? waitingDeadline(document)) ? [deadlineColumn(now)] : []),
];

const deadlineColumn = (now: EpochMs): TopColumn<PodRow> => ({
  header: 'ENDS IN',
  widths: [8],
  rank: 4,
  right: true,
  whole: true,
  cell: ({ document }) => {
    const next = nextDeadline(document);
    // Counts from when the pod runs.
    if (next === undefined) return [piece(waitingDeadline(document) === undefined ? '' : 'waits', 'quiet')];
    const leftMs = next.at - now;
    return [
      leftMs <= 0 ? piece('overdue', 'bad') : piece(formatDuration(leftMs), leftMs <= SOON_MS ? 'warn' : 'plain'),
    ];
  },
});

export const endpointColumns = (): readonly TopColumn<EndpointRow>[] => [
  { header: 'ENDPOINT', widths: [12, 14, 18, 28, 40], rank: 0, cell: nameCell },
  {
    header: 'WAIT',
    widths: [9, 11, 20, 40, 66],
    rank: 1,
    cell: (row, width) => countSeries(row.waiting, width, isStuck(row) ? 'warn' : 'busy'),
  },
  {
    header: 'RUN',
    widths: [5, 11, 20, 40, 66],
    rank: 1,
    cell: ({ running }, width) => countSeries(running, width, 'busy'),
  },
  { header: 'WORKERS', widths: [13, 14, 24, 36, 48], rank: 2, whole: LONGEST_STATE, cell: workersCell },
  {
    header: 'DONE/M',
    widths: [6, 11, 20, 40, 66],
    rank: 3,
    cell: ({ completedRate }, width) => rateSeries(completedRate, width, 'good'),
  },
  {
    header: 'FAIL/M',
    widths: [6, 11, 20, 40, 66],
    rank: 3,
    cell: ({ failedRate }, width) => rateSeries(failedRate, width, 'bad'),
  },
  { header: '$/H', widths: [6, 7], rank: 1, right: true, whole: true, cell: hourCell },
  { header: 'TODAY', widths: [7, 8], rank: 4, right: true, whole: true, from: 100, cell: todayCell },
  {
    header: 'READ',
    widths: [4],
    rank: 5,
    right: true,
    whole: true,
    from: 100,
    cell: ({ readMs }) => [piece(secondsText(readMs), 'quiet')],
  },
];

const piece = (text: string, tone: Tone = 'plain'): Piece => ({ text: safeText(text === '' ? '-' : text), tone });

const nameCell = ({ label }: Row): readonly Piece[] => [piece(label, 'strong')];

const toneOf = (row: PodRow): Tone => status()(row.document).tone ?? 'plain';

const hourCell = ({ cost }: Row): readonly Piece[] => [piece(dollars(cost))];

const todayCell = ({ spentToday }: Row): readonly Piece[] => [piece(dollars(spentToday))];

export const secondsText = (milliseconds: number | undefined): string => {
  if (milliseconds === undefined) return '-';
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  return seconds < 1000 ? `${seconds}s` : `${Math.min(999, Math.round(seconds / 60))}m`;
};

const dollars = (amount: number | undefined): string => (amount === undefined ? '-' : formatDollars(amount));

const percentText = (value: number | undefined): string => (value === undefined ? '-' : `${Math.round(value)}%`);

const isStuck = ({ waiting, workers }: EndpointRow): boolean =>
  (waiting.now ?? 0) > 0 && workers.every(([, count]) => count === 0);

function isIdle(podStatus: string, { history }: Series): boolean {
  const known = history.filter((value) => value !== undefined);
  return podStatus === 'RUNNING' && known.length >= IDLE_SAMPLES && known.every((value) => value < IDLE_PERCENT);
}

const percentSeries = ({ now, history }: Series, width: number, tone: Tone): readonly Piece[] =>
  series(percentText(now), 4, sparklineOf(history, width - 5, 100), tone);

const countSeries = ({ now, history }: Series, width: number, tone: Tone): readonly Piece[] =>
  series(now === undefined ? '-' : shortCount(now), 4, sparklineOf(history, width - 5), tone);

const rateSeries = ({ now, history }: Series, width: number, tone: Tone): readonly Piece[] =>
  series(
    now === undefined ? '-' : shortCount(now),
    5,
    sparklineOf(history, width - 6),
    (now ?? 0) > 0 ? tone : 'quiet',
  );

const sparklineOf = (history: Series['history'], columns: number, most?: number): SafeText =>
  columns < 3 ? say`` : sparkline(history, columns, most);

const series = (text: string, columns: number, spark: SafeText, tone: Tone): readonly Piece[] => [
  piece(text.padStart(columns), tone === 'warn' || tone === 'bad' ? tone : 'plain'),
  ...(spark === '' ? [] : [{ text: say` ` }, { text: spark, tone }]),
];

/** At most four characters. */
function shortCount(count: number): string {
  if (count < 10_000) return formatRate(count);
  if (count < 1e6) return `${Math.floor(count / 1000)}k`;
  return count < 1e9 ? `${Math.floor(count / 1e6)}M` : '>1G';
}

function workersCell({ workers, readMs }: EndpointRow, width: number): readonly Piece[] {
  const busy = workers.filter(([, count]) => count > 0);
  const states = [...busy].sort(([a], [b]) => Number(b === 'running') - Number(a === 'running'));
  if (states.length === 0) return [piece(readMs === undefined ? '-' : '0', 'quiet')];
  const pieces = states.map(([state, count], at) =>
    piece(`${at === 0 ? '' : ' '}${count} ${state}`, WORKER_TONES[state] ?? 'plain'),
  );
  // A truncated count would read as another count.
  for (let shown = pieces.length; shown > 1; shown--) {
    const some = shown === pieces.length ? pieces : [...pieces.slice(0, shown), piece(' …', 'quiet')];
    if (piecesWidth(some) <= width) return some;
  }
  return pieces.length === 1 ? pieces : [...pieces.slice(0, 1), piece(' …', 'quiet')];
}

const WORKER_TONES: Readonly<Record<string, Tone>> = {
  running: 'good',
  initializing: 'busy',
  throttled: 'warn',
  unhealthy: 'bad',
};

export interface TopColumn<R> {
  readonly header: string;
  /** Smallest first. All columns grow to their second width, then all to their third. */
  readonly widths: readonly [number, ...number[]];
  /** The highest rank is left out first. */
  readonly rank: number;
  readonly right?: boolean;
  /** Never cut: as wide as its widest cell; a number is the limit of that. */
  readonly whole?: boolean | number;
  /** The narrowest line, in columns, that shows it. */
  readonly from?: number;
  readonly cell: (row: R, width: number) => readonly Piece[];
}

interface Placed<R> {
  readonly column: TopColumn<R>;
  readonly width: number;
}

export const GAP = 1;

export function placed<R>(columns: readonly TopColumn<R>[], rows: readonly R[], width: number): readonly Placed<R>[] {
  let shown = columns.filter(({ from = 0 }) => width >= from).map((column) => wideEnough(column, rows));
  const total = (widths: readonly number[]): number =>
    widths.reduce((sum, each) => sum + each, GAP * (widths.length - 1));
  while (shown.length > 1 && total(shown.map(({ widths }) => widths[0])) > width) {
    const last = Math.max(...shown.map(({ rank }) => rank));
    shown = shown.filter(({ rank }) => rank !== last);
  }
  const widths = shown.map((column) => column.widths[0]);
  const steps = Math.max(...shown.map((column) => column.widths.length));
  for (let step = 1; step < steps; step++)
    for (const [at, column] of shown.entries()) {
      const left = width - total(widths);
      const now = widths[at] ?? 0;
      widths[at] = now + Math.max(0, Math.min(left, (column.widths[step] ?? now) - now));
    }
  return shown.map((column, at) => ({ column, width: widths[at] ?? 0 }));
}

function wideEnough<R>(column: TopColumn<R>, rows: readonly R[]): TopColumn<R> {
  const { whole = false } = column;
  if (whole === false) return column;
  const [first, ...others] = column.widths;
  const widest = rows.reduce((most, row) => Math.max(most, piecesWidth(column.cell(row, first))), 0);
  return { ...column, widths: [Math.max(first, Math.min(widest, whole === true ? Infinity : whole)), ...others] };
}
