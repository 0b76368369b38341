import { safeText, say, type TerminalText } from '../core/safe-text.ts';
import type { Paint, Piece } from './text/colour.ts';
import { joinText } from './text/terminal-text.ts';
import type { Bar, Column, Item, Shown } from './view.ts';

const DASH = safeText('-');

/** What a pipe gets of a cell: a piece for each item, a dash where there is none. */
export const plainPieces = (shown: Shown): readonly Piece[] => itemsOf(shown).map(plainPiece);

function plainPiece(item: Item): Piece {
  if (typeof item === 'string') return { text: item === '' ? DASH : safeText(item) };
  if ('percent' in item) return { text: safeText(item.text) };
  return { ...item, text: item.text === '' ? DASH : safeText(item.text) };
}

/** The text of the whole cell on a terminal: bars are drawn. */
export const cellPieces = (shown: Shown): readonly Piece[] =>
  itemsOf(shown).flatMap((item, at) => (at === 0 ? itemPieces(item) : [COMMA, ...itemPieces(item)]));

const COMMA: Piece = { text: safeText(', ') };

/** The pieces of each line that a value takes in a detail view of a terminal: at least one line for each item of an array. */
export const cellLines = (shown: Shown): readonly (readonly Piece[])[] =>
  itemsOf(shown).flatMap((item) => splitLines(item).map(itemPieces));

export const paintAll = (pieces: readonly Piece[], paint: Paint): TerminalText =>
  joinText(pieces.map(({ text, tone }) => paint(text, tone)));

function itemsOf(shown: Shown): readonly Item[] {
  // A table asks for each cell: flat() takes ten times as long.
  const all = shown === undefined ? [] : Array.isArray(shown) ? (shown as readonly Item[]) : [shown as Item];
  return all.length === 0 ? [DASH] : all;
}

/** Whether there is no value: a table shows a dash, and a detail view leaves the line out. */
export function isEmpty(shown: Shown): boolean {
  const [first, ...others] = plainPieces(shown);
  return others.length === 0 && first?.text === DASH;
}

const itemPieces = (item: Item): readonly Piece[] =>
  typeof item === 'object' && 'percent' in item ? barPieces(item) : [plainPiece(item)];

const BLOCKS = 8;

/** The bar is limited to 0..100, the number is not. An empty text draws only the bar. */
function barPieces({ percent, blocks = BLOCKS, ...bar }: Bar): readonly Piece[] {
  const text = safeText(bar.text);
  if (!Number.isFinite(percent)) return [{ text }];
  const full = Math.round((Math.min(100, Math.max(0, percent)) / 100) * blocks);
  return [
    { text: safeText('█'.repeat(full)), tone: 'busy' },
    { text: safeText('░'.repeat(blocks - full)), tone: 'quiet' },
    ...(text === '' ? [] : [{ text: say` ${text}` }]),
  ];
}

function splitLines(item: Item): readonly Item[] {
  if (typeof item !== 'string' && !('text' in item && !('percent' in item))) return [item];
  const cell = typeof item === 'string' ? { text: item } : { ...item, text: item.long ?? item.text };
  if (!/[\n\t]/.test(cell.text)) return [item];
  return cell.text
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .map((line) => ({ ...cell, text: line === '' ? ' ' : line.replaceAll('\t', '    ') }));
}

export const headerPieces = ({ header }: Column): readonly Piece[] =>
  cellPieces(header).map(({ text }) => ({ text, tone: 'strong' }));

const MAX_LENGTH = 4096;

export const clipPiece = ({ text, ...style }: Piece): Piece => ({
  ...style,
  text: safeText(text.slice(0, MAX_LENGTH)),
});
