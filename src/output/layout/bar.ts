import { safeText, say } from '../../core/safe-text.ts';
import type { Piece } from './colour.ts';
import type { Bar } from '../view.ts';

/** Blocks in a full bar. */
const BLOCKS = 8;

/**
 * `████░░░░ 42%` where it can be drawn, `42%` elsewhere. Only the drawing is held to 0..100: the number is as it came.
 * An empty text is the drawing alone.
 */
export function barPieces(bar: Bar, drawn: boolean): readonly Piece[] {
  const text = safeText(bar.text ?? (Number.isFinite(bar.percent) ? `${String(bar.percent)}%` : '-'));
  if (!drawn || !Number.isFinite(bar.percent)) return [{ text }];
  const full = Math.round((Math.min(100, Math.max(0, bar.percent)) / 100) * BLOCKS);
  return [
    { text: safeText('█'.repeat(full)), tone: 'busy' },
    { text: safeText('░'.repeat(BLOCKS - full)), tone: 'quiet' },
    ...(text === '' ? [] : [{ text: say` ${text}` }]),
  ];
}
