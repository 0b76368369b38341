import { safeText, say, type TerminalText } from '../../core/safe-text.ts';
import { barPieces } from './bar.ts';
import { joined } from './drawn.ts';
import type { Paint, Piece } from './colour.ts';
import type { Bar, Cell, Shown } from '../view.ts';

/** What stands where nothing is known. */
const DASH = say`-`;

interface Manner {
  /** Bars are drawn, and items are set apart by a comma and a space; else by a comma alone. */
  readonly drawn: boolean;
}

/** A value as one line; the items of an array stand one after the other. */
export function inline(shown: Shown, { drawn }: Manner): readonly Piece[] {
  const comma: Piece = { text: drawn ? say`, ` : say`,` };
  return items(shown).flatMap((item, at) => (at === 0 ? one(item, drawn) : [comma, ...one(item, drawn)]));
}

/** A value as the lines it takes in a detail view: one for each item of an array. */
export function itemLines(shown: Shown, { drawn }: Manner): readonly (readonly Piece[])[] {
  return items(shown).flatMap((item) => (drawn ? textLines(item).map((line) => one(line, drawn)) : [one(item, drawn)]));
}

export const paintAll = (pieces: readonly Piece[], paint: Paint): TerminalText =>
  joined(pieces.map(({ text, tone }) => paint(text, tone)));

type Item = string | Cell | Bar;

function items(shown: Shown): readonly Item[] {
  const all: readonly Item[] = shown === undefined ? [] : isList(shown) ? shown : [shown];
  return all.length === 0 ? [DASH] : all;
}

const isList = (shown: Item | readonly Item[]): shown is readonly Item[] => Array.isArray(shown);

function one(item: Item, drawn: boolean): readonly Piece[] {
  if (typeof item === 'string') return [{ text: item === '' ? DASH : safeText(item) }];
  if ('percent' in item) return barPieces(item, drawn);
  return [{ ...item, text: item.text === '' ? DASH : safeText(item.text) }];
}

/** Text of several lines reads as such where there is room for it; elsewhere its line feeds are visible escapes. */
function textLines(item: Item): readonly Item[] {
  if (typeof item !== 'string' && 'percent' in item) return [item];
  const cell = typeof item === 'string' ? { text: item } : item;
  if (!/[\n\t]/.test(cell.text)) return [item];
  return cell.text
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .map((line) => ({ ...cell, text: line === '' ? ' ' : line.replaceAll('\t', '    ') }));
}
