import { safeText, say, type SafeText } from '../../../core/safe-text.ts';
import { formatDollars, formatDuration } from '../../../core/units.ts';
import type { EpochMs } from '../../../core/unit-types.ts';
import { nextDeadline, SOON_MS, waitingDeadline } from '../../../guard/deadline.ts';
import { age, status } from '../../../output/cells/cell-functions.ts';
import type { Piece } from '../../../output/text/colour.ts';
import { piecesWidth } from '../../../output/text/text-width.ts';
import { sparkline } from '../../../output/cells/sparkline.ts';
import type { Tone } from '../../../output/view.ts';
import { formatRate } from '../../shared/history.ts';
import type { TopColumn } from './fit-columns.ts';
import type { EndpointRow, PodRow, Row, Series } from '../model/rows.ts';

/** Below this use in percent, over all that is remembered, a running GPU idles. */
const IDLE_PERCENT = 5;
/** So many values are needed to call a GPU idle. */
const IDLE_SAMPLES = 5;
/** The columns that a state has room for, whatever the width of the terminal; the words are the service's. */
const LONGEST_STATE = 20;

/** The columns of these pods, with their deadlines where one has any. `now` is the service's time, for ages. */
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

/** When a guard ends the pod. */
const deadlineColumn = (now: EpochMs): TopColumn<PodRow> => ({
  header: 'ENDS IN',
  widths: [8],
  rank: 4,
  right: true,
  whole: true,
  cell: ({ document }) => {
    const next = nextDeadline(document);
    // It counts from when the pod runs.
    if (next === undefined) return [piece(waitingDeadline(document) === undefined ? '' : 'waits', 'quiet')];
    const leftMs = next.at - now;
    return [
      leftMs <= 0 ? piece('overdue', 'bad') : piece(formatDuration(leftMs), leftMs <= SOON_MS ? 'warn' : 'plain'),
    ];
  },
});

/** The columns of endpoints. */
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

/** Seconds up to `999s`, then minutes. */
export const secondsText = (milliseconds: number | undefined): string => {
  if (milliseconds === undefined) return '-';
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  return seconds < 1000 ? `${seconds}s` : `${Math.min(999, Math.round(seconds / 60))}m`;
};

const dollars = (amount: number | undefined): string => (amount === undefined ? '-' : formatDollars(amount));

const percentText = (value: number | undefined): string => (value === undefined ? '-' : `${Math.round(value)}%`);

/** True for jobs that wait while there is no worker. */
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

/** A number, aligned to the right, and its sparkline. */
const series = (text: string, columns: number, spark: SafeText, tone: Tone): readonly Piece[] => [
  piece(text.padStart(columns), tone === 'warn' || tone === 'bad' ? tone : 'plain'),
  ...(spark === '' ? [] : [{ text: say` ` }, { text: spark, tone }]),
];

/** A count in at most four characters: `12`, `9999`, `12k`, `3M`. */
function shortCount(count: number): string {
  if (count < 10_000) return formatRate(count);
  if (count < 1e6) return `${Math.floor(count / 1000)}k`;
  return count < 1e9 ? `${Math.floor(count / 1e6)}M` : '>1G';
}

/** `2 running 1 idle`: the states that workers are in, as many as fit; `0` where there is none. */
function workersCell({ workers, readMs }: EndpointRow, width: number): readonly Piece[] {
  const busy = workers.filter(([, count]) => count > 0);
  const states = [...busy].sort(([a], [b]) => Number(b === 'running') - Number(a === 'running'));
  if (states.length === 0) return [piece(readMs === undefined ? '-' : '0', 'quiet')];
  const pieces = states.map(([state, count], at) =>
    piece(`${at === 0 ? '' : ' '}${count} ${state}`, WORKER_TONES[state] ?? 'plain'),
  );
  // A count that is cut would be another count.
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
