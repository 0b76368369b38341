import { safeText, say } from '../../core/safe-text.ts';
import type { Bar } from '../view.ts';
import type { Piece } from '../text/colour.ts';

/** Blocks in a full bar, by default. */
const BLOCKS = 8;

/**
 * Renders a percentage: `████░░░░ 42%` on a terminal, `42%` elsewhere. The bar is limited to 0..100, the number is not.
 * With an empty text only the bar is drawn.
 */
export function barPieces(bar: Bar, terminal: boolean): readonly Piece[] {
  const text = safeText(bar.text ?? (Number.isFinite(bar.percent) ? `${bar.percent}%` : '-'));
  if (!terminal || !Number.isFinite(bar.percent)) return [{ text }];
  return [...blockPieces(bar.percent, bar.blocks), ...(text === '' ? [] : [{ text: say` ${text}` }])];
}

/** The blocks of a percentage, without its number. */
export function blockPieces(percent: number, blocks = BLOCKS): readonly Piece[] {
  const full = Math.round((Math.min(100, Math.max(0, percent)) / 100) * blocks);
  return [
    { text: safeText('█'.repeat(full)), tone: 'busy' },
    { text: safeText('░'.repeat(blocks - full)), tone: 'quiet' },
  ];
}
