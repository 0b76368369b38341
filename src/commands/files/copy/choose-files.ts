import { words, type Words } from '../../../core/message.ts';
import { option } from '../../../cli/model/params.ts';
import type { FileChoice } from './filter.ts';

/** The options of commands that copy folders: which of their files are meant. */
export const CHOICE_OPTIONS = {
  exclude: option.texts('leave out what a pattern matches', { metavar: 'PATTERN' }),
  include: option.texts('take what a pattern matches', { metavar: 'PATTERN' }),
};

export const FOLLOW_LINKS = option.on('copy what links on this machine lead to');

/** The options again, for a command line that is printed. */
export const choiceWords = ({ exclude, include }: FileChoice): readonly Words[] => [
  ...exclude.map((each) => words`--exclude ${each}`),
  ...include.map((each) => words`--include ${each}`),
];
