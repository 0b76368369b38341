import type { DataText, TerminalText } from '../core/safe-text.ts';

/** Marks text that a library made from terminal text, or a control sequence, as safe. Never use it for outside data. */
export const trusted = (text: string): TerminalText => text as TerminalText;

/** Marks rendered data: JSON, CSV, YAML, or text that is the data itself. */
export const data = (text: string): DataText => text as DataText;
