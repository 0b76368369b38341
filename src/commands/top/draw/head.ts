/** The first lines of `top`: the totals, why the cost of an hour is a lower bound, and the status of the readings. */
import { safeText, say, type SafeText, type TerminalText } from '../../../core/safe-text.ts';
import { formatDollars } from '../../../core/units.ts';
import { paintAll } from '../../../output/cells/cell-text.ts';
import type { Paint, Piece } from '../../../output/text/colour.ts';
import { ellipsize, piecesWidth, wrap } from '../../../output/text/text-width.ts';
import { countOf } from '../../../cli/words/words.ts';
import { formatRate } from '../../shared/history.ts';
import type { EndpointRow, PodRow, Totals } from '../model/rows.ts';

export interface HeadInput {
  /** The rows in the order shown; undefined for what `top` was not asked for. */
  readonly pods: readonly PodRow[] | undefined;
  readonly endpoints: readonly EndpointRow[] | undefined;
  readonly totals: Totals;
  /** The last line: ages, the pause, the filter, failures. */
  readonly status: readonly Piece[];
}

/** The room of the head. */
export interface HeadRoom {
  /** Infinity for a head that goes to no terminal. */
  readonly columns: number;
  /** The most lines of why the cost of an hour is a lower bound: that is whole, or left out. */
  readonly reasonLines: number;
}

/** The totals and the status are each cut to the width, and never within a word. */
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

/** Why the cost of an hour is a lower bound, in lines of a width. */
const unknownCosts = ({ rate: { unknown } }: Totals, columns: number): readonly SafeText[] =>
  unknown.length === 0 ? [] : wrap(safeText(`at least: ${unknown.join(', ')}`), columns);

type Part = readonly Piece[];

/** The parts that fit a width, with two spaces between them; the others are left out. */
function wholeParts(parts: readonly Part[], columns: number): readonly Piece[] {
  let line: readonly Piece[] = [];
  for (const part of parts) {
    const longer = line.length === 0 ? part : [...line, { text: say`  ` }, ...part];
    if (piecesWidth(longer) <= columns) line = longer;
  }
  return line;
}

/** The words that fit a width; an ellipsis takes the place of the others. */
function wholeWords(pieces: readonly Piece[], columns: number): readonly Piece[] {
  if (piecesWidth(pieces) <= columns) return pieces;
  const words = pieces.flatMap((piece) =>
    piece.text.split(/(?<= )(?! )/).map((word): Piece => ({ ...piece, text: safeText(word) })),
  );
  let used = 0;
  const count = words.findIndex((word) => (used += piecesWidth([word])) > columns - 1);
  // A word that is wider than the whole line is cut.
  return count <= 0 ? ellipsize(pieces, columns) : [...words.slice(0, count), { text: safeText('…'), tone: 'quiet' }];
}

/** The totals, the most important first: a narrow terminal leaves the last ones out. */
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
