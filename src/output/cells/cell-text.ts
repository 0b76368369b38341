import { safeText, say, type TerminalText } from '../../core/safe-text.ts';
import type { Item, Shown } from '../view.ts';
import type { Paint, Piece } from '../text/colour.ts';
import { gaugesPieces } from './gauge.ts';
import { barPieces } from './percent-bar.ts';
import { joinText } from '../text/terminal-text.ts';

/** Shown for a missing value. */
const DASH = say`-`;

interface CellOptions {
  /** On a terminal, bars are drawn and items are separated by a comma and a space; elsewhere by a comma alone. */
  readonly terminal: boolean;
}

/** Returns the pieces of a cell on one line; the items of an array follow each other. */
export function cellPieces(shown: Shown, { terminal }: CellOptions): readonly Piece[] {
  const comma: Piece = { text: terminal ? say`, ` : say`,` };
  return itemsOf(shown).flatMap((item, at) =>
    at === 0 ? itemPieces(item, terminal) : [comma, ...itemPieces(item, terminal)],
  );
}

/** Returns the pieces of each line that a value takes in a detail view: at least one line for each item of an array. */
export function cellLines(shown: Shown, { terminal }: CellOptions): readonly (readonly Piece[])[] {
  return itemsOf(shown).flatMap((item) =>
    terminal ? splitLines(item).map((line) => itemPieces(line, terminal)) : [itemPieces(item, terminal)],
  );
}

export const paintAll = (pieces: readonly Piece[], paint: Paint): TerminalText =>
  joinText(pieces.map(({ text, tone }) => paint(text, tone)));

function itemsOf(shown: Shown): readonly Item[] {
  const all: readonly Item[] = shown === undefined ? [] : isList(shown) ? shown : [shown];
  return all.length === 0 ? [DASH] : all;
}

const isList = (shown: Item | readonly Item[]): shown is readonly Item[] => Array.isArray(shown);

function itemPieces(item: Item, terminal: boolean): readonly Piece[] {
  if (typeof item === 'string') return [{ text: item === '' ? DASH : safeText(item) }];
  if ('gauges' in item) return gaugesPieces(item, terminal);
  if ('percent' in item) return barPieces(item, terminal);
  return [{ ...item, text: item.text === '' ? DASH : safeText(item.text) }];
}

/** Splits text of several lines for a detail view. In a table its line feeds are escaped instead. */
function splitLines(item: Item): readonly Item[] {
  if (typeof item !== 'string' && !('text' in item && !('percent' in item))) return [item];
  const cell = typeof item === 'string' ? { text: item } : { ...item, text: item.long ?? item.text };
  if (!/[\n\t]/.test(cell.text)) return [item];
  return cell.text
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .map((line) => ({ ...cell, text: line === '' ? ' ' : line.replaceAll('\t', '    ') }));
}
