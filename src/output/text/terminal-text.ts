import type { TerminalText } from '../../core/safe-text.ts';

/** Template tag for terminal text: each value must be terminal text already. */
export const styled = (literals: TemplateStringsArray, ...values: readonly TerminalText[]): TerminalText =>
  literals.reduce((text, literal, at) => text + (values[at - 1] ?? '') + literal) as TerminalText;

export const joinText = (parts: readonly TerminalText[], separator = ''): TerminalText =>
  parts.join(separator) as TerminalText;

/** Returns a number of spaces; none when the count is negative. */
export const spaces = (count: number): TerminalText => ' '.repeat(Math.max(0, count)) as TerminalText;
