import { safeText, say, type TerminalText } from '../core/safe-text.ts';
import type { Paint, Piece } from './text/colour.ts';
import { joinText } from './text/terminal-text.ts';
import type { Bar, Column, Item, Shown } from './view.ts';

const BLOCKS = 8;

/** The bar is limited to 0..100, the number is not. An empty text draws only the bar. */
function barPieces(bar: Bar, terminal: boolean): readonly Piece[] {
  const text = safeText(bar.text ?? (Number.isFinite(bar.percent) ? `${bar.percent}%` : '-'));
  if (!terminal || !Number.isFinite(bar.percent)) return [{ text }];
  return [...blockPieces(bar.percent, bar.blocks), ...(text === '' ? [] : [{ text: say` ${text}` }])];
}

function blockPieces(percent: number, blocks = BLOCKS): readonly Piece[] {
  const full = Math.round((Math.min(100, Math.max(0, percent)) / 100) * blocks);
  return [
    { text: safeText('█'.repeat(full)), tone: 'busy' },
    { text: safeText('░'.repeat(blocks - full)), tone: 'quiet' },
  ];
}

const DASH = safeText('-');

interface CellOptions {
  /** On a terminal, bars are drawn and items are separated by a comma and a space; elsewhere by a comma alone. */
  readonly terminal: boolean;
}

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

/** Whether there is no value: a table shows a dash, and a detail view leaves the line out. */
export const isEmpty = (shown: Shown): boolean => {
  const [first = DASH, ...others] = itemsOf(shown);
  return others.length === 0 && itemPieces(first, false)[0]?.text === DASH;
};

const isList = (shown: Item | readonly Item[]): shown is readonly Item[] => Array.isArray(shown);

function itemPieces(item: Item, terminal: boolean): readonly Piece[] {
  if (typeof item === 'string') return [{ text: item === '' ? DASH : safeText(item) }];
  if ('percent' in item) return barPieces(item, terminal);
  return [{ ...item, text: item.text === '' ? DASH : safeText(item.text) }];
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
  cellPieces(header, { terminal: true }).map(({ text }) => ({ text, tone: 'strong' }));

const MAX_LENGTH = 4096;

export const clipPiece = ({ text, ...style }: Piece): Piece => ({
  ...style,
  text: safeText(text.slice(0, MAX_LENGTH)),
});
