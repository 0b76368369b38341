import type { RangeFiles } from '../../../core/context.ts';
import { words, type Words } from '../../../core/message.ts';
import { option } from '../../../cli/model/params.ts';
import { readPathList } from '../places/path-list.ts';
import { createFilter, type Filter } from './filter.ts';

/** The options of commands that copy folders: which of their files are meant. */
export const CHOICE_OPTIONS = {
  exclude: option.texts('leave out what a pattern matches', { metavar: 'PATTERN' }),
  include: option.texts('take what a pattern matches', { metavar: 'PATTERN' }),
  filesFrom: option.text('only the paths below the source that a file lists, one a line', {
    metavar: 'FILE',
    complete: 'file',
  }),
};

export const FOLLOW_LINKS = option.on('copy what links on this machine lead to');

/** What these options say. */
export interface FileChoice {
  readonly exclude: readonly string[];
  readonly include: readonly string[];
  readonly filesFrom: string | undefined;
}

/** Makes the filter of a choice; without one, all files are taken. Fails as the reading of its list does. */
export async function readChoice(
  files: Pick<RangeFiles, 'read'>,
  { exclude, include, filesFrom }: FileChoice = { exclude: [], include: [], filesFrom: undefined },
): Promise<Filter> {
  const only = filesFrom === undefined ? undefined : await readPathList(files, filesFrom);
  return await createFilter({ exclude, include, only });
}

/** The options again, for a command line that is printed. */
export const choiceWords = ({ exclude, include, filesFrom }: FileChoice): readonly Words[] => [
  ...exclude.map((each) => words`--exclude ${each}`),
  ...include.map((each) => words`--include ${each}`),
  ...(filesFrom === undefined ? [] : [words`--files-from ${filesFrom}`]),
];
