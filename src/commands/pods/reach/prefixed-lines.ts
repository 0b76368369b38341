import { safeText, say, type TerminalText } from '../../../core/safe-text.ts';

/** A line that is longer than this is cut into several. Characters. */
const LONGEST_LINE = 65_536;

/** Turns the bytes of a program into lines that begin with a name, and are safe on a terminal. */
export function prefixedLines(name: string, write: (line: TerminalText) => void) {
  const decoder = new TextDecoder();
  const head = say`${name}: `;
  let rest = '';
  const print = (line: string): void => {
    write(`${head}${safeText(line.replace(/\r$/, ''), true)}\n` as TerminalText);
  };
  const takeText = (text: string): void => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(print);
    for (; rest.length > LONGEST_LINE; rest = rest.slice(LONGEST_LINE)) print(rest.slice(0, LONGEST_LINE));
  };
  return {
    take: (bytes: Uint8Array): void => {
      takeText(decoder.decode(bytes, { stream: true }));
    },
    /** Prints what is left without a line feed. */
    end: (): void => {
      takeText(decoder.decode());
      if (rest !== '') print(rest);
      rest = '';
    },
  };
}
