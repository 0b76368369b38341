import type { Json } from '../../core/json.ts';
import { safeText, type SafeText, say, type TerminalText } from '../../core/safe-text.ts';
import { alignCell, borderlessLine, cellLines, cellPieces, clipPiece, headerPieces, paintAll } from '../cell-text.ts';
import type { Paint, Piece } from '../text/colour.ts';
import { joinText, spaces, styled } from '../text/terminal-text.ts';
import { ellipsize, fits, piecesWidth, textWidth, wrap } from '../text/text-width.ts';
import { wrapParts } from '../text/wrap-message.ts';
import { trusted } from '../trusted.ts';
import type { Column, Facts, Section, Shown } from '../view.ts';

export interface ColumnSize {
  readonly natural: number;
  readonly minimum: number;
  readonly comfortable: number;
  /** Always shown, or only when it fits: at its minimum (`if-fits`), or where all are comfortable (`if-spare`). */
  readonly shown: 'always' | 'if-fits' | 'if-spare';
}

export interface FittedColumn {
  readonly index: number;
  readonly width: number;
}

export type SeparatorWidth = (count: number) => number;

/** Adds optional columns from left to right, then cuts the longest ones. Undefined when nothing fits. */
export function fitColumns(
  sizes: readonly ColumnSize[],
  width: number,
  separators: SeparatorWidth,
): readonly FittedColumn[] | undefined {
  const total = (widths: readonly number[]): number =>
    widths.reduce((sum, each) => sum + each, separators(widths.length));
  const all = sizes.map((size, index) => ({ ...size, index }));
  let shown = all.filter((size) => size.shown === 'always');
  for (const rank of ['if-fits', 'if-spare'] as const)
    for (const each of all.filter((size) => size.shown === rank)) {
      const more = all.filter((one) => one === each || shown.includes(one));
      if (total(more.map(rank === 'if-fits' ? minimumWidth : comfortableWidth)) <= width) shown = more;
    }
  const widest = Math.max(0, ...shown.map(({ natural }) => natural));
  for (let longest = Math.min(widest, width); longest >= 0; longest--) {
    const widths = shown.map(({ natural, minimum }) => Math.min(natural, Math.max(minimum, longest)));
    if (total(widths) <= width) return shown.map(({ index }, at) => ({ index, width: widths[at] ?? 0 }));
  }
  return undefined;
}

const minimumWidth = ({ natural, minimum }: ColumnSize): number => Math.min(natural, minimum);

const comfortableWidth = ({ comfortable }: ColumnSize): number => comfortable;

/** Rows drawn at a time: the time that cli-table3 takes grows with the square of the rows. */
const SLICE_ROWS = 64;

/** cli-table3 measures text differently: in a few scripts (Devanagari) a border may be off by a column. */
export async function drawBorders(
  head: readonly TerminalText[],
  rows: readonly (readonly TerminalText[])[],
): Promise<TerminalText> {
  const { default: Table } = await import('cli-table3');
  const draw = (slice: readonly (readonly TerminalText[])[], first: boolean): string[] => {
    // No colours here: the library would decide on them by itself, and the cells have theirs already.
    const table = new Table({ ...(first ? { head: [...head] } : {}), style: { head: [], border: [], compact: true } });
    table.push(...slice.map((row) => [...row]));
    return table.toString().split('\n');
  };
  const lines = draw(rows.slice(0, SLICE_ROWS), true);
  for (let at = SLICE_ROWS; at < rows.length; at += SLICE_ROWS) {
    // Removes the bottom border of the lines so far and the top border of the next slice.
    lines.pop();
    lines.push(...draw(rows.slice(at, at + SLICE_ROWS), false).slice(1));
  }
  return trusted(`${lines.join('\n')}\n`);
}

interface DetailOptions {
  readonly width: number;
  readonly paint: Paint;
}

const MIN_VALUE_WIDTH = 16;

export function terminalDetail(sections: readonly Section[], { width, paint }: DetailOptions): TerminalText {
  const shown = sections.filter(({ lines }) => lines.length > 0);
  const margin = shown.some(({ title }) => title !== undefined) ? 2 : 0;
  const labels = shown.flatMap(({ lines }) => lines.map(({ label }) => textWidth(safeLabel(label))));
  const labelWidth = Math.max(0, Math.min(Math.max(0, ...labels), width - margin - 2 - MIN_VALUE_WIDTH));
  const valueWidth = Math.max(1, width - margin - labelWidth - 2);
  const blocks = shown.map(({ title, lines }) => {
    const body = lines.flatMap(({ label, value }) => {
      const values = valueLines(value, valueWidth, paint);
      return labelledLines(safeLabel(label), values, labelWidth, paint).map((line) => styled`${spaces(margin)}${line}`);
    });
    return joinText([...(title === undefined ? [] : [paint(safeLabel(title), 'strong')]), ...body, say``], '\n');
  });
  return joinText(blocks, margin > 0 ? '\n' : '');
}

function labelledLines(
  label: SafeText,
  values: readonly TerminalText[],
  labelWidth: number,
  paint: Paint,
): readonly TerminalText[] {
  const gap = spaces(labelWidth + 2);
  const own = textWidth(label);
  if (own > labelWidth) return [paint(label, 'quiet'), ...values.map((value) => styled`${gap}${value}`)];
  const first = styled`${paint(label, 'quiet')}${spaces(labelWidth - own + 2)}`;
  return values.map((value, at) => styled`${at === 0 ? first : gap}${value}`);
}

function valueLines(value: Shown, width: number, paint: Paint): readonly TerminalText[] {
  const parts = typeof value === 'object' && 'parts' in value ? value.parts : undefined;
  if (parts !== undefined) return wrapParts(parts, width).map((line) => paint(line, 'plain'));
  return cellLines(value, { terminal: true }).flatMap((item) => wrapValue(item, width, paint));
}

function wrapValue(pieces: readonly Piece[], width: number, paint: Paint): readonly TerminalText[] {
  if (fits(pieces, width)) return [paintAll(pieces, paint)];
  const tone = pieces[0]?.tone;
  return wrap(textOf(pieces), width).map((line) => paint(line, tone));
}

const safeLabel = (label: string): SafeText => textOf(cellPieces(label, { terminal: true }));

const textOf = (pieces: readonly Piece[]): SafeText => safeText(pieces.map(({ text }) => text).join(''));

export interface TableOptions {
  readonly facts: Facts;
  readonly width: number;
  readonly wide: boolean;
  readonly paint: Paint;
}

type CellRows = readonly (readonly (readonly Piece[])[])[];

/** Cuts the longest cells. If that does not fit, borders go; then each row becomes a block of lines. */
export async function terminalTable(
  allColumns: readonly Column[],
  rows: readonly Json[],
  options: TableOptions,
): Promise<TerminalText> {
  if (rows.length === 0) return say``;
  const columns = withValues(allColumns, rows, options.facts);
  const cells = rows.map((row) =>
    columns.map(({ show }) => cellPieces(show(row, options.facts), { terminal: true }).map(clipPiece)),
  );
  const fit = (separators: (count: number) => number, minimum: number): readonly FittedColumn[] | undefined => {
    const sizes = columnSizes(columns, cells, options.wide, minimum);
    const fitted = fitColumns(sizes, options.width, separators);
    const cuts = ({ index, width }: FittedColumn): boolean =>
      columns[index]?.uncut === true && width < (sizes[index]?.natural ?? 0);
    return fitted?.some(cuts) === true ? undefined : fitted;
  };
  const withBorders = fit((count) => count * 3 + 1, 10);
  if (withBorders !== undefined) {
    const [head = [], ...body] = alignedRows(columns, cells, withBorders, options.paint);
    return joinText([await drawBorders(head, body), leftOut(columns, withBorders, options)]);
  }
  const withoutBorders = fit((count) => count * 2 - 2, 8);
  if (withoutBorders === undefined) return rowBlocks(columns, rows, options);
  const lines = alignedRows(columns, cells, withoutBorders, options.paint).map(borderlessLine);
  return joinText([...lines, leftOut(columns, withoutBorders, options)]);
}

/** The columns without those that are shown only where a row has a value and none has; the others of them are not wide. */
const withValues = (columns: readonly Column[], rows: readonly Json[], facts: Facts): readonly Column[] =>
  columns.flatMap((column) => {
    if (column.whereAny !== true) return [column];
    return rows.some((row) => column.show(row, facts) !== undefined) ? [{ ...column, wide: false }] : [];
  });

function leftOut(
  columns: readonly Column[],
  shown: readonly FittedColumn[],
  { width, paint }: TableOptions,
): TerminalText {
  const missing = columns.filter(({ counted }, at) => counted === true && shown.every(({ index }) => index !== at));
  if (missing.length === 0) return say``;
  const text = safeText(`No room for ${missing.map(({ header }) => header).join(', ')}: see them with -o wide.`);
  return joinText(wrap(text, width).map((line) => styled`${paint(line, 'quiet')}\n`));
}

/** A cell longer than this does not keep other columns from being shown, unless it is a sentence. */
const COMFORTABLE = 40;

function columnSizes(columns: readonly Column[], cells: CellRows, wide: boolean, least: number): readonly ColumnSize[] {
  return columns.map((column, at) => {
    const head = piecesWidth(headerPieces(column));
    const natural = cells.reduce((most, row) => Math.max(most, piecesWidth(row[at] ?? [])), head);
    // A cut id identifies nothing, and a cut number looks like another number: these columns are cut last.
    const minimum = Math.min(
      natural,
      at === 0 || column.cutLast === true ? 20 : column.right === true ? 10 : Math.max(head, least),
    );
    return {
      natural,
      minimum,
      comfortable: column.sentence === true ? natural : Math.min(natural, Math.max(minimum, COMFORTABLE)),
      shown: wide ? 'always' : column.wide === true ? 'if-spare' : column.dropFirst === true ? 'if-fits' : 'always',
    };
  });
}

function alignedRows(
  columns: readonly Column[],
  cells: CellRows,
  fitted: readonly FittedColumn[],
  paint: Paint,
): readonly (readonly TerminalText[])[] {
  const head = columns.map(headerPieces);
  return [head, ...cells].map((row) =>
    fitted.map(({ index, width }) =>
      alignCell(ellipsize(row[index] ?? [], width), width, columns[index]?.right === true, paint),
    ),
  );
}

function rowBlocks(columns: readonly Column[], rows: readonly Json[], options: TableOptions): TerminalText {
  const { facts, width, wide, paint } = options;
  const shown = columns.filter((column) => wide || column.wide !== true);
  const blocks = rows.map((row) => {
    const lines = shown.map(({ header, show }) => ({ label: header, value: show(row, facts) }));
    return terminalDetail([{ lines }], { width, paint });
  });
  return joinText(blocks, '\n');
}

export interface GrowingTable {
  lines(
    columns: readonly Column[],
    rows: readonly Json[],
    options: { readonly hasHeader: boolean; readonly facts: Facts; readonly paint: Paint },
  ): readonly TerminalText[];
}

/** Creates a table whose columns are each as wide as their widest cell so far, that of the header too. */
export function growingTable(): GrowingTable {
  const widths: number[] = [];
  return {
    lines: (columns, rows, { hasHeader, facts, paint }) => {
      const lines = [
        ...(hasHeader ? [columns.map(headerPieces)] : []),
        ...rows.map((row) => columns.map(({ show }) => cellPieces(show(row, facts), { terminal: true }))),
      ];
      for (const cells of lines)
        for (const [at, pieces] of cells.entries()) widths[at] = Math.max(widths[at] ?? 0, piecesWidth(pieces));
      return lines.map((cells) =>
        borderlessLine(
          cells.map((pieces, at) => alignCell(pieces, widths[at] ?? 0, columns[at]?.right === true, paint)),
        ),
      );
    },
  };
}
