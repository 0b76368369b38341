import type { TerminalText } from '../../core/safe-text.ts';
import { trusted } from '../trusted.ts';

/** cli-table3 takes time in the square of its rows, so a long table is drawn in slices of so many. */
const SLICE = 64;

/**
 * Puts a frame around a head and rows whose cells are already of equal width, column by column. The library measures
 * text by rules of its own; in a few scripts (decomposed kana, Devanagari) a border may stand a column off.
 */
export async function framed(
  head: readonly TerminalText[],
  rows: readonly (readonly TerminalText[])[],
): Promise<TerminalText> {
  const { default: Table } = await import('cli-table3');
  const draw = (slice: readonly (readonly TerminalText[])[], first: boolean): string[] => {
    // The library would take its colours from the process; ours come with the text.
    const table = new Table({ ...(first ? { head: [...head] } : {}), style: { head: [], border: [], compact: true } });
    table.push(...slice.map((row) => [...row]));
    return table.toString().split('\n');
  };
  const lines = draw(rows.slice(0, SLICE), true);
  for (let at = SLICE; at < rows.length; at += SLICE) {
    // The bottom line of what is there and the top line of what follows make way for each other.
    lines.pop();
    lines.push(...draw(rows.slice(at, at + SLICE), false).slice(1));
  }
  return trusted(`${lines.join('\n')}\n`);
}
