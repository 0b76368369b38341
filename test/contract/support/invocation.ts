import type { Answers } from './recorder.ts';

/** One call of a command. */
export interface Invocation {
  readonly argv: readonly string[];
  readonly answers?: Answers;
  readonly stdin?: string;
  /** The exit code where all answers are good; 0 by default. */
  readonly exit?: number;
}

const split = (line: string): readonly string[] => line.split(' ').filter((word) => word !== '');

/** Splits a command line at spaces. */
export const line = (text: string, more: Omit<Invocation, 'argv'> = {}): Invocation => ({ argv: split(text), ...more });
