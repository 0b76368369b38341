import type { TerminalText } from '../../core/safe-text.ts';
import { trusted } from '../trusted.ts';

/** Rows drawn at a time: the time that cli-table3 takes grows with the square of the rows. */
const SLICE_ROWS = 64;

/**
 * Draws borders around a header and rows whose cells are already padded to the width of their column. cli-table3 measures
 * text differently; in a few scripts (decomposed kana, Devanagari) a border may be off by a column.
 */
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
