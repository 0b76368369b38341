/** The first lines of `top`: the totals, why the cost of an hour is a lower bound, and the status of the readings. */

import { countOf } from '../../cli/words.ts';
import { endpointColumns, placed, podColumns, secondsText, type TopColumn } from './row-columns.ts';
import type { EndpointRow, PodRow, Totals } from './rows.ts';
import { safeText, type SafeText, say, type TerminalText } from '../../core/safe-text.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { formatDollars } from '../../core/units.ts';
import { alignCell, paintAll } from '../../output/cell-text.ts';
import { formatRate } from '../../output/samples.ts';
import type { Paint, Piece } from '../../output/text/colour.ts';
import { joinText, styled } from '../../output/text/terminal-text.ts';
import { ellipsize, piecesWidth, wrap } from '../../output/text/text-width.ts';

interface HeadInput {
  /** Undefined if not requested. */
  readonly pods: readonly PodRow[] | undefined;
  readonly endpoints: readonly EndpointRow[] | undefined;
  readonly totals: Totals;
  readonly status: readonly Piece[];
}

interface HeadRoom {
  /** Infinity if not a terminal. */
  readonly columns: number;
  /** The reason is shown completely or not at all. */
  readonly reasonLines: number;
}

/** Cut to the width, never within a word. */
export function headLines(
  { totals, status, pods, endpoints }: HeadInput,
  { columns, reasonLines }: HeadRoom,
  paint: Paint,
): readonly TerminalText[] {
  const reason = unknownCosts(totals, columns);
  return [
    paintAll(wholeParts(totalParts(totals, pods !== undefined, endpoints !== undefined), columns), paint),
    ...(reason.length > reasonLines ? [] : reason.map((line) => paint(line, 'quiet'))),
    paintAll(wholeWords(status, columns), paint),
  ];
}

const unknownCosts = ({ rate: { unknown } }: Totals, columns: number): readonly SafeText[] =>
  unknown.length === 0 ? [] : wrap(safeText(`at least: ${unknown.join(', ')}`), columns);

type Part = readonly Piece[];

function wholeParts(parts: readonly Part[], columns: number): readonly Piece[] {
  let line: readonly Piece[] = [];
  for (const part of parts) {
    const longer = line.length === 0 ? part : [...line, { text: say`  ` }, ...part];
    if (piecesWidth(longer) <= columns) line = longer;
  }
  return line;
}

function wholeWords(pieces: readonly Piece[], columns: number): readonly Piece[] {
  if (piecesWidth(pieces) <= columns) return pieces;
  const words = pieces.flatMap((piece) =>
    piece.text.split(/(?<= )(?! )/).map((word): Piece => ({ ...piece, text: safeText(word) })),
  );
  let used = 0;
  const count = words.findIndex((word) => (used += piecesWidth([word])) > columns - 1);
  // Only a word wider than the line is cut.
  return count <= 0 ? ellipsize(pieces, columns) : [...words.slice(0, count), { text: safeText('…'), tone: 'quiet' }];
}

/** Most important first: a narrow terminal leaves the last ones out. */
function totalParts(totals: Totals, pods: boolean, endpoints: boolean): readonly Part[] {
  const { rate, spentToday, waiting, running, completedRate, failedRate } = totals;
  const amount = (text: SafeText, unit: SafeText): Part => [{ text, tone: 'strong' }, { text: unit }];
  return [
    amount(say`${rate.unknown.length === 0 ? '' : 'at least '}${formatDollars(rate.total)}`, say`/h`),
    ...(spentToday === undefined ? [] : [amount(say`${formatDollars(spentToday)}`, say` today`)]),
    ...(endpoints
      ? [
          [...amount(say`${waiting}`, say` waiting, `), ...amount(say`${running}`, say` running`)],
          ...(completedRate === undefined
            ? []
            : [[{ text: say`${formatRate(completedRate)} done, ${formatRate(failedRate ?? 0)} failed a minute` }]]),
        ]
      : []),
    ...(pods ? [[{ text: say`${countOf(totals.pods, 'pod')}` }]] : []),
    ...(endpoints ? [[{ text: say`${countOf(totals.endpoints, 'endpoint')}` }]] : []),
  ];
}

/** Draws a frame of `top`: rows and a size in, lines out. */

export interface FrameInput extends HeadInput {
  readonly now: EpochMs;
  readonly selected?: string;
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
const KEPT_LINES = 8;

export const rowKey = ({ kind, id }: PodRow | EndpointRow): string => `${kind} ${id}`;

/** None wider than the terminal; a terminal that is too small gets one line that says so. */
export function drawFrame(input: FrameInput, size: FrameSize, paint: Paint): readonly TerminalText[] {
  const { columns, rows } = size;
  if (columns < MIN_COLUMNS || (rows !== undefined && rows < MIN_ROWS))
    return [fit([{ text: say`top needs ${MIN_COLUMNS} columns and ${MIN_ROWS} rows` }], columns, paint)];
  const foot = input.footer === undefined ? [] : [fit(input.footer, columns, paint)];
  const head = headLines(input, headRoom(size, foot.length, wantedLines(input)), paint);
  const room = rows === undefined ? undefined : rows - head.length - foot.length - 1;
  const body = bodyLines(input, columns, room, paint);
  const blank = room === undefined ? 0 : Math.max(0, room - body.length);
  return [...head, say``, ...body, ...Array.from({ length: blank }, () => say``), ...foot];
}

export const headRoom = ({ columns, rows, isWholeHead = false }: FrameSize, foot: number, body: number): HeadRoom => ({
  columns: isWholeHead ? Infinity : columns,
  reasonLines: rows === undefined ? Infinity : rows - SHORT_HEAD - 1 - foot - Math.min(body, KEPT_LINES),
});

const SHORT_HEAD = 2;

const tableCounts = ({ pods, endpoints }: FrameInput): readonly number[] =>
  [pods, endpoints].map((rows) => (rows === undefined ? 0 : Math.max(1, rows.length) + 1));

const gapLines = ({ pods, endpoints }: FrameInput): number => (pods && endpoints ? 1 : 0);

const wantedLines = (input: FrameInput): number =>
  tableCounts(input).reduce((sum, count) => sum + count, gapLines(input));

/** Each table gets half of the room, plus what the other leaves. */
function bodyLines(
  input: FrameInput,
  columns: number,
  room: number | undefined,
  paint: Paint,
): readonly TerminalText[] {
  const { pods, endpoints, now, selected } = input;
  const [podLines = 0, endpointLines = 0] = shares(
    tableCounts(input),
    room === undefined ? undefined : room - gapLines(input),
  );
  const options = { columns, selected, paint };
  const tables = [
    ...(pods === undefined ? [] : [tableLines(podColumns(pods, now), pods, 'pods', { ...options, lines: podLines })]),
    ...(endpoints === undefined
      ? []
      : [tableLines(endpointColumns(), endpoints, 'endpoints', { ...options, lines: endpointLines })]),
  ];
  return tables.flatMap((lines, at) => (at === 0 ? lines : [say``, ...lines]));
}

function shares(wanted: readonly number[], room: number | undefined): readonly number[] {
  const [first = 0, second = 0] = wanted;
  if (room === undefined || first + second <= room) return wanted;
  const half = Math.floor(room / 2);
  if (first <= half) return [first, room - first];
  if (second <= half) return [room - second, second];
  return [room - half, half];
}

interface TableOptions {
  readonly columns: number;
  readonly selected: string | undefined;
  readonly paint: Paint;
  /** Includes the header. */
  readonly lines: number;
}

const MARK_COLUMNS = 2;

function tableLines<R extends PodRow | EndpointRow>(
  columns: readonly TopColumn<R>[],
  rows: readonly R[],
  noun: string,
  { columns: width, selected, paint, lines }: TableOptions,
): readonly TerminalText[] {
  const cells = placed(columns, rows, width - MARK_COLUMNS);
  const first = firstRow(
    rows.findIndex((row) => rowKey(row) === selected),
    rows.length,
    lines - 1,
  );
  const fits = rows.length <= lines - 1;
  const shown = rows.slice(first, first + (fits ? lines - 1 : lines - 2));
  const header = cells.map(({ column, width: columnWidth }): TerminalText =>
    alignCell([{ text: safeText(column.header), tone: 'quiet' }], columnWidth, column.right === true, paint),
  );
  const line = (row: R): TerminalText => {
    const mark = rowKey(row) === selected ? paint(say`> `, 'strong') : say`  `;
    const texts = cells.map(({ column, width: columnWidth }) =>
      alignCell(ellipsize(column.cell(row, columnWidth), columnWidth), columnWidth, column.right === true, paint),
    );
    return styled`${mark}${joinText(texts, ' ')}`;
  };
  const more = fits ? [] : [paint(say`  ${rows.length - shown.length} more ${noun}: the arrows move`, 'quiet')];
  return [
    styled`${say`  `}${joinText(header, ' ')}`,
    ...(rows.length === 0 ? [paint(say`  no ${noun}`, 'quiet')] : [...shown.map(line), ...more]),
  ];
}

/** The window's last row says how many are hidden. */
function firstRow(selected: number, count: number, lines: number): number {
  if (count <= lines) return 0;
  const usable = Math.max(1, lines - 1);
  return Math.max(0, Math.min(count - usable, selected - usable + 1));
}

export const fit = (pieces: readonly Piece[], columns: number, paint: Paint): TerminalText =>
  paintAll(ellipsize(pieces, columns), paint);

export function agesText(ages: readonly (readonly [what: string, ms: readonly (number | undefined)[]])[]): string {
  return ages
    .flatMap(([what, all]) => {
      const known = all.filter((ms) => ms !== undefined);
      if (known.length === 0) return [];
      const [least, most] = [secondsText(Math.min(...known)), secondsText(Math.max(...known))];
      return [`${what} ${least === most ? least : `${least} to ${most}`}`];
    })
    .join(', ');
}

export const intervalText = (milliseconds: number): string => `${Math.round(milliseconds / 100) / 10}s`;
