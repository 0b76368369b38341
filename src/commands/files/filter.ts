import type { Ignore } from 'ignore';
import { option } from '../../cli/model/params.ts';

/** On both sides. A file left out is neither copied nor removed. */
export interface Filter {
  takes(path: string): boolean;
  /** The path has no slash at its end. */
  enters(folder: string): boolean;
  /** Adds the rules of a folder's own rule files, as git reads them. */
  below(folder: string, rules: readonly string[]): Filter;
}

export interface FileChoice {
  readonly exclude: readonly string[];
  readonly include: readonly string[];
}

/** .gitignore patterns. `include` overrides `exclude`; alone, nothing else is taken. */
export async function createFilter({ exclude, include }: FileChoice): Promise<Filter> {
  const { default: ignore } = await import('ignore');
  const rulesOf = (texts: readonly string[]): Ignore => {
    const rules = ignore({ ignorecase: false });
    for (const text of texts) rules.add(text);
    return rules;
  };
  const isValid = (path: string): boolean => ignore.isPathValid(path);
  const [excluded, included] = [rulesOf(exclude), rulesOf(include)];
  const isIncluded = (path: string): boolean => isValid(path) && included.ignores(path);

  const at = (levels: readonly { readonly folder: string; readonly rules: Ignore }[]): Filter => {
    const isIgnored = (path: string): boolean => {
      if (!isValid(path)) return false;
      let ignored = excluded.ignores(path);
      // Rules of an inner folder come after those of an outer one.
      for (const { folder, rules } of levels) {
        const found = rules.test(path.slice(folder.length));
        if (found.ignored || found.unignored) ignored = found.ignored || excluded.ignores(path);
      }
      return ignored;
    };
    return {
      takes: (path) => {
        if (include.length > 0 && isIncluded(path)) return true;
        if (include.length > 0 && exclude.length === 0) return false;
        return !isIgnored(path);
      },
      // An included file may be in an excluded folder.
      enters: (folder) => include.length > 0 || !isIgnored(`${folder}/`),
      below: (folder, texts) => (texts.length === 0 ? at(levels) : at([...levels, { folder, rules: rulesOf(texts) }])),
    };
  };
  return at([]);
}

export const CHOICE_OPTIONS = {
  exclude: option.texts('leave out what a pattern matches', { metavar: 'PATTERN' }),
  include: option.texts('take what a pattern matches', { metavar: 'PATTERN' }),
};

export const FOLLOW_LINKS = option.on('copy what links on this machine lead to');
