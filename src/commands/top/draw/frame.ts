/** Draws a frame of `top`: rows and a size in, lines out. */
import { safeText, say, type TerminalText } from '../../../core/safe-text.ts';
import { alignCell } from '../../../output/cells/aligned-cells.ts';
import { paintAll } from '../../../output/cells/cell-text.ts';
import type { Paint, Piece } from '../../../output/text/colour.ts';
import { joinText, styled } from '../../../output/text/terminal-text.ts';
import { ellipsize } from '../../../output/text/text-width.ts';
import { placed, type TopColumn } from './fit-columns.ts';
import { headLines, type HeadInput, type HeadRoom } from './head.ts';
import { endpointColumns, podColumns, secondsText } from './row-columns.ts';
import type { EndpointRow, PodRow } from '../model/rows.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

/** What a frame is drawn from. */
export interface FrameInput extends HeadInput {
  /** The service's time, for ages. */
  readonly now: EpochMs;
  /** The key of the selected row. */
  readonly selected?: string;
  /** The last line. */
  readonly footer?: readonly Piece[];
}

export interface FrameSize {
  readonly columns: number;
  /** Undefined shows every row. */
  readonly rows: number | undefined;
  /** Nothing of the head is cut or wrapped, because the frame goes to no terminal. */
  readonly isWholeHead?: boolean;
}

export const MIN_COLUMNS = 60;
const MIN_ROWS = 8;
/** Lines below the head that the reason of a lower bound never takes. */
const KEPT_LINES = 8;

export const rowKey = ({ kind, id }: PodRow | EndpointRow): string => `${kind} ${id}`;

/** The lines of a frame, none wider than the terminal. A terminal that is too small gets one line that says so. */
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

/** The room of the head above `body` lines, an empty line and `foot` lines. */
export const headRoom = ({ columns, rows, isWholeHead = false }: FrameSize, foot: number, body: number): HeadRoom => ({
  columns: isWholeHead ? Infinity : columns,
  reasonLines: rows === undefined ? Infinity : rows - SHORT_HEAD - 1 - foot - Math.min(body, KEPT_LINES),
});

/** The lines of a head without the reason of a lower bound. */
const SHORT_HEAD = 2;

/** The lines of each table with all of its rows. */
const tableCounts = ({ pods, endpoints }: FrameInput): readonly number[] =>
  [pods, endpoints].map((rows) => (rows === undefined ? 0 : Math.max(1, rows.length) + 1));

const gapLines = ({ pods, endpoints }: FrameInput): number => (pods && endpoints ? 1 : 0);

const wantedLines = (input: FrameInput): number =>
  tableCounts(input).reduce((sum, count) => sum + count, gapLines(input));

/** The two tables. When not all rows fit, each table gets half of the room, and what the other one leaves. */
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

/** How many lines each of two tables gets. */
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
  /** Lines of the table, header included. */
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

/** The first row of a window of `lines` rows (the last of which says how many are hidden) that shows the selected one. */
function firstRow(selected: number, count: number, lines: number): number {
  if (count <= lines) return 0;
  const usable = Math.max(1, lines - 1);
  return Math.max(0, Math.min(count - usable, selected - usable + 1));
}

/** Cuts pieces to a width and paints them. */
export const fit = (pieces: readonly Piece[], columns: number, paint: Paint): TerminalText =>
  paintAll(ellipsize(pieces, columns), paint);

/** `pods 1s ago, jobs 2s to 14s ago`: how old numbers are. */
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

/** `2s`, `3.5s`. */
export const intervalText = (milliseconds: number): string => `${Math.round(milliseconds / 100) / 10}s`;
