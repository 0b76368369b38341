import type { Tone } from './view.ts';

/** A run of text of one look. Its text is harmless. */
export interface Piece {
  readonly text: string;
  readonly tone?: Tone;
}

/** Gives text the look of its tone; gives it back as it is where there is no colour. */
export type Paint = (text: string, tone: Tone | undefined) => string;

/** No colour at all. */
export const unpainted: Paint = (text) => text;

/** Tones as colours; the colour library is loaded only where there is colour. */
export async function loadPaint(colour: boolean): Promise<Paint> {
  if (!colour) return unpainted;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return (text, tone = 'plain') => {
    if (text === '') return text;
    switch (tone) {
      case 'plain':
        return text;
      case 'strong':
        return chalk.bold(text);
      case 'quiet':
        return chalk.dim(text);
      case 'good':
        return chalk.green(text);
      case 'busy':
        return chalk.cyan(text);
      case 'bad':
        return chalk.red(text);
      case 'warn':
        return chalk.yellow(text);
    }
  };
}
