import type { DataText, TerminalText } from '../core/safe-text.ts';

/** What a library made of terminal text, or a control sequence of our own. Never for anything that came from outside. */
export const trusted = (text: string): TerminalText => text as TerminalText;

/** What a data format was made of: JSON, CSV, YAML, or text that is the data itself. */
export const data = (text: string): DataText => text as DataText;
