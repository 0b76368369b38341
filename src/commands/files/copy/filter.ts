import type { Ignore } from 'ignore';

/** Which files of a sync are looked at, on both sides. What is left out is neither copied nor removed. */
export interface Filter {
  /** Whether a file belongs to the sync. */
  takes(path: string): boolean;
  /** Whether anything in a folder can belong to it; the path has no slash at its end. */
  enters(folder: string): boolean;
  /** The filter in a folder with rules of its own: the texts of its files with rules, as git reads them. */
  below(folder: string, rules: readonly string[]): Filter;
}

/** Patterns of the files that are meant. */
export interface FileChoice {
  readonly exclude: readonly string[];
  readonly include: readonly string[];
}

/**
 * Makes a filter of patterns as those of a .gitignore. What `exclude` names is left out, unless `include` names it too; with
 * `include` alone, nothing else is taken.
 */
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
      // The rules of an inner folder come after those of an outer one.
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
      // A file that is included may be in a folder that is not.
      enters: (folder) => include.length > 0 || !isIgnored(`${folder}/`),
      below: (folder, texts) => (texts.length === 0 ? at(levels) : at([...levels, { folder, rules: rulesOf(texts) }])),
    };
  };
  return at([]);
}
