import type { Ignore } from 'ignore';
import { option } from '../../cli/model/params.ts';

/** On both sides. A file left out is neither copied nor removed. */
export interface Filter {
  takes(path: string): boolean;
  /** The path has no slash at its end. */
  enters(folder: string): boolean;
}

export const EVERYTHING: Filter = { takes: () => true, enters: () => true };

export const COPY_OPTIONS = {
  exclude: option.texts('leave out what a pattern matches', { metavar: 'PATTERN' }),
  include: option.texts('take what a pattern matches', { metavar: 'PATTERN' }),
  followLinks: option.on('copy what links on this machine lead to'),
  verify: option.on('compare checksums after the copy, where the service has them'),
};

type Choice = Readonly<Record<'exclude' | 'include', readonly string[]>>;

/** The package keeps each answer: after so many, the rules begin anew. */
const MOST_ANSWERS = 10_000;

/** .gitignore patterns. `include` overrides `exclude`; alone, nothing else is taken. */
export async function createFilter({ exclude, include }: Choice): Promise<Filter> {
  const { default: ignore } = await import('ignore');
  const matcher = (patterns: readonly string[]) => {
    let rules: Ignore = ignore({ ignorecase: false });
    for (const text of patterns) rules.add(text);
    let answers = 0;
    return (path: string): boolean => {
      answers += 1;
      if (answers % MOST_ANSWERS === 0) rules = ignore().add(rules);
      return ignore.isPathValid(path) && rules.ignores(path);
    };
  };
  const [isExcluded, isIncluded] = [matcher(exclude), matcher(include)];
  const isAlone = include.length > 0 && exclude.length === 0;
  return {
    takes: (path) => isIncluded(path) || !(isAlone || isExcluded(path)),
    // An included file may be in an excluded folder.
    enters: (folder) => include.length > 0 || !isExcluded(`${folder}/`),
  };
}
