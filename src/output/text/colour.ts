import type { SafeText, TerminalText } from '../../core/safe-text.ts';
import { trusted } from '../trusted.ts';
import type { Tone } from '../view.ts';

export interface Piece {
  readonly text: SafeText;
  readonly tone?: Tone | undefined;
}

export type Paint = (text: SafeText, tone: Tone | undefined) => TerminalText;

export const unpainted: Paint = (text) => text;

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
        return trusted(chalk.bold(text));
      case 'quiet':
        return trusted(chalk.dim(text));
      case 'good':
        return trusted(chalk.green(text));
      case 'busy':
        return trusted(chalk.cyan(text));
      case 'bad':
        return trusted(chalk.red(text));
      case 'warn':
        return trusted(chalk.yellow(text));
    }
  };
}

export type NamePaint = (name: SafeText, at: number) => TerminalText;

/** Returns the function that gives names colours, those next to each other different ones. None of them is red. */
export async function loadNamePaint(colour: boolean): Promise<NamePaint> {
  if (!colour) return (name) => name;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  const colours = [chalk.cyan, chalk.magenta, chalk.green, chalk.yellow, chalk.blue];
  return (name, at) => trusted((colours[at % colours.length] ?? chalk.cyan)(name));
}
