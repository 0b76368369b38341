import type { Answers } from './recorder.ts';

/** One call of a command. */
export interface Invocation {
  readonly argv: readonly string[];
  readonly answers?: Answers;
  readonly stdin?: string;
}

const split = (line: string): readonly string[] => line.split(' ').filter((word) => word !== '');

/** Splits a command line at spaces. */
export const line = (text: string, more: Omit<Invocation, 'argv'> = {}): Invocation => ({ argv: split(text), ...more });
