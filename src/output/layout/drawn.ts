import type { TerminalText } from '../../core/safe-text.ts';

/** Template tag for text on a terminal: only what is safe already can be put into it. */
export const drawn = (literals: TemplateStringsArray, ...values: readonly TerminalText[]): TerminalText =>
  literals.reduce((text, literal, at) => text + (values[at - 1] ?? '') + literal) as TerminalText;

/** Texts with a separator of our own between them. */
export const joined = (parts: readonly TerminalText[], separator = ''): TerminalText =>
  parts.join(separator) as TerminalText;

/** So many spaces. */
export const spaces = (count: number): TerminalText => ' '.repeat(Math.max(0, count)) as TerminalText;
