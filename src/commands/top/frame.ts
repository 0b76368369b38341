/** The frame of top: totals, a table of pods, a table of endpoints. Rows and a size in, lines out. */
import { RATE_PARTS, rateOf, rateText } from '../account/rate.ts';
import { countOf } from '../../cli/words.ts';
import { itemsAt, type Json, memberAt, numberAt, numberOf, objectAt } from '../../core/json.ts';
import { safeText, type SafeText, say, type TerminalText } from '../../core/safe-text.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import { formatDollars, formatDuration } from '../../core/units.ts';
import { nextDeadline, SOON_MS } from '../../guard/deadline.ts';
import { paintAll } from '../../output/cell-text.ts';
import { age, money, status, text } from '../../output/cells.ts';
import { terminalTable } from '../../output/tables/terminal-table.ts';
import type { Paint, Piece } from '../../output/text/colour.ts';
import { styled } from '../../output/text/terminal-text.ts';
import { ellipsize } from '../../output/text/text-width.ts';
import type { Column, Shown, Tone } from '../../output/view.ts';
import type { Fleet } from './fleet.ts';
import { listed, type Row, rowsOf, type Sort, type TopRows } from './rows.ts';

/** What a person chose on the screen. */
export interface Ui {
  /** The key of a row; the first one until a key moves it. */
  readonly selected: string | undefined;
  readonly sort: Sort;
}

export interface FrameInput {
  readonly fleet: Fleet;
  readonly ui: Ui;
  /** Monotonic. */
  readonly now: Milliseconds;
  readonly serviceNow: EpochMs;
  /** What the third line says. */
  readonly state: readonly Piece[];
  /** The last line of a screen. */
  readonly footer?: string;
}

/** None wider than the terminal. `rows`: undefined shows every row, and selects none. */
export async function frameLines(
  { fleet, ui, now, serviceNow, state, footer }: FrameInput,
  { columns, rows }: { readonly columns: number; readonly rows: number | undefined },
  paint: Paint,
): Promise<readonly TerminalText[]> {
  const all = rowsOf(fleet, now);
  const { pods, endpoints } = listed(all, ui.sort);
  const fit = (pieces: readonly Piece[]): TerminalText => paintAll(ellipsize(pieces, columns), paint);
  const head = [...headPieces(fleet, all), state].map(fit);
  const foot = footer === undefined ? [] : [fit([{ text: safeText(footer), tone: 'quiet' }])];
  const gap = pods && endpoints ? [say``] : [];
  const room = rows === undefined ? Infinity : rows - head.length - foot.length - 1 - gap.length;
  const wanted = (of: readonly Row[] | undefined): number => (of === undefined ? 0 : Math.max(1, of.length) + 1);
  // Each table gets half of the room, and what the other leaves.
  const podLines = Math.min(wanted(pods), Math.max(Math.ceil(room / 2), room - wanted(endpoints)));
  const selected = rows === undefined ? undefined : selectedOf(ui, [...(pods ?? []), ...(endpoints ?? [])]);
  const table = (kind: keyof TopRows, of: readonly Row[] | undefined, lines: number) =>
    of === undefined ? [] : tableLines(kind, of, selected, { now: serviceNow, lines, columns }, paint);
  const tables = [await table('pods', pods, podLines), gap, await table('endpoints', endpoints, room - podLines)];
  const body = [...head, say``, ...tables.flat()];
  const blank = Array.from({ length: Math.max(0, (rows ?? 0) - foot.length - body.length) }, () => say``);
  return [...body, ...blank, ...foot].slice(0, rows);
}

/** The first row if the selected one is not shown. */
export const selectedOf = ({ selected }: Ui, rows: readonly Row[]): string | undefined =>
  rows.find(({ key }) => key === selected)?.key ?? rows[0]?.key;

/** The totals, and why the cost of an hour is a lower bound. */
function headPieces(fleet: Fleet, { pods, endpoints }: TopRows): readonly (readonly Piece[])[] {
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
  return [
    [{ text: safeText(totals), tone: 'strong' }],
    ...(rate.unknown.length === 0
      ? []
      : [[{ text: safeText(`at least: ${rate.unknown.join(', ')}`), tone: 'quiet' as const }]]),
  ];
}

/** `lines` includes the header. */
async function tableLines(
  kind: keyof TopRows,
  rows: readonly Row[],
  selected: string | undefined,
  { now, lines, columns }: { readonly now: EpochMs; readonly lines: number; readonly columns: number },
  paint: Paint,
): Promise<readonly TerminalText[]> {
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
  const table = await terminalTable(COLUMNS[kind], shown, { facts: { now }, width: columns - 2, wide: false, paint });
  const [header = say``, ...body] = table.split('\n').slice(0, room + 1) as TerminalText[];
  return [
    styled`  ${header}`,
    ...body.map((line, index) => styled`${first + index === at ? paint(say`> `, 'strong') : say`  `}${line}`),
    ...(room < rows.length ? [paint(say`  ${rows.length - room} more ${kind}: the arrows move`, 'quiet')] : []),
  ];
}

/** Fits beside the other columns at 80: a cut would take the newest. */
const TREND_COLUMNS = 8;
const OPTIONAL = { right: true, dropFirst: true } as const;

const LEVELS = '▁▂▃▄▅▆▇█';

const trend = (most?: number): Column => ({
  header: 'TREND',
  show: (row) => ({ text: sparkline(itemsAt(row, 'history').map(numberOf), most), tone: 'busy' }),
  dropFirst: true,
});

/** The last value at the right. Zero is the lowest block, an unknown value a space. */
function sparkline(values: readonly (number | undefined)[], given?: number): SafeText {
  const most = given ?? Math.max(1, ...values.map((value = 0) => value));
  const blocks = values.slice(-TREND_COLUMNS).map((value) => {
    if (value === undefined) return ' ';
    const level = Math.round((Math.min(most, Math.max(0, value)) / most) * (LEVELS.length - 1));
    // Every value above zero differs from zero.
    return LEVELS[value > 0 ? Math.max(1, level) : 0] ?? ' ';
  });
  return safeText(blocks.join('').padStart(TREND_COLUMNS));
}

const formatRate = (rate: number): string => String(rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate));

/** A number that is known, as `form` shows it. */
const number =
  (member: string, form: (value: number) => string) =>
  (row: Json): Shown => {
    const value = numberAt(row, member);
    return value === undefined ? '' : form(value);
  };

const percent = (value: number): string => `${Math.round(value)}%`;

const nameColumn = (header: string): Column => ({
  header,
  show: (row) => ({ text: text(row, 'label'), tone: 'strong' }),
});

const COSTS: readonly Column[] = [
  { header: '$/H', show: (row) => money(row, 'costPerHour'), right: true, always: true },
  { header: 'TODAY', show: (row) => money(row, 'costToday'), ...OPTIONAL },
];

const COLUMNS: Readonly<Record<keyof TopRows, readonly Column[]>> = {
  pods: [
    nameColumn('POD'),
    { header: 'STATUS', show: (row) => status(row), cutLast: true, always: true },
    { header: 'GPU', show: number('gpuUtil', percent), right: true },
    trend(100),
    { header: 'MEM', show: number('gpuMemoryUtil', percent), ...OPTIONAL },
    { header: 'CPU', show: number('cpuUtil', percent), ...OPTIONAL },
    { header: 'RAM', show: number('memoryUtil', percent), ...OPTIONAL },
    ...COSTS,
    { header: 'AGE', show: (row, facts) => age(row, 'createdAt', facts), ...OPTIONAL },
    { header: 'ENDS IN', show: (row, { now }) => endCell(memberAt(row, 'document') ?? null, now), ...OPTIONAL },
  ],
  endpoints: [
    nameColumn('ENDPOINT'),
    { header: 'WAIT', show: number('inQueue', formatRate), right: true },
    trend(),
    { header: 'RUN', show: number('inProgress', formatRate), right: true },
    { header: 'WORKERS', show: workersCell, cutLast: true },
    { header: 'DONE/M', show: number('completedPerMinute', formatRate), ...OPTIONAL },
    { header: 'FAIL/M', show: number('failedPerMinute', formatRate), ...OPTIONAL },
    ...COSTS,
  ],
};

function endCell(pod: Json, now: EpochMs): Shown {
  const next = nextDeadline(pod);
  if (next === undefined) return undefined;
  const leftMs = next.at - now;
  if (leftMs <= 0) return { text: 'overdue', tone: 'bad' };
  return { text: formatDuration(leftMs), tone: leftMs <= SOON_MS ? 'warn' : 'plain' };
}

const WORKER_TONES: Readonly<Record<string, Tone>> = {
  running: 'good',
  initializing: 'busy',
  throttled: 'warn',
  unhealthy: 'bad',
};

/** States with workers, those that run first. */
function workersCell(row: Json): Shown {
  const states = Object.entries(objectAt(row, 'workers') ?? {})
    .flatMap(([state, workers]) => ((numberOf(workers) ?? 0) > 0 ? [[state, numberOf(workers) ?? 0] as const] : []))
    .sort(([a], [b]) => Number(b === 'running') - Number(a === 'running'));
  if (states.length === 0) return numberAt(row, 'readSecondsAgo') === undefined ? undefined : '0';
  return states.map(([state, workers]) => ({ text: `${workers} ${state}`, tone: WORKER_TONES[state] ?? 'plain' }));
}
