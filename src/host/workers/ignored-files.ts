import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** Directories whose contents are never watched, and files that programs write while they run. */
const NEVER_WATCHED = /^(\.git|\.hg|\.svn|node_modules|__pycache__|\.pytest_cache|\.mypy_cache)$/;
const WRITTEN_BY_PROGRAMS = /\.(jsonl|ndjson)(\..*)?$|\.(log|tmp|pyc)$/i;

/**
 * Returns what tells whether a file or directory in `root` is not watched: by a .gitignore of the repository around it,
 * because it is a virtual environment of Python, or because programs write it and not people. `others` are absolute paths
 * that are not watched either, nor the files beside them whose names begin with theirs.
 */
export function createIgnored(
  root: string,
  others: readonly string[],
): (path: string, isDirectory: boolean) => boolean {
  const top = repositoryOf(root);
  const rules = new Map<string, Ignore | undefined>();
  const rulesIn = (directory: string): Ignore | undefined => {
    if (!rules.has(directory)) rules.set(directory, readRules(join(directory, '.gitignore')));
    return rules.get(directory);
  };

  const isIgnoredByRules = (path: string, isDirectory: boolean): boolean => {
    const parts = relative(top, path).split(sep);
    // A file is ignored with the first of its directories that is.
    return parts.some((_, last) =>
      parts.slice(0, last + 1).some((__, first) => {
        const name = parts.slice(first, last + 1).join('/');
        const isPart = last < parts.length - 1;
        return (
          rulesIn(join(top, ...parts.slice(0, first)))?.ignores(isPart || isDirectory ? `${name}/` : name) === true
        );
      }),
    );
  };

  return (path, isDirectory) => {
    if (path === root) return false;
    const parts = relative(root, path).split(sep);
    if (parts[0] === '..') return true;
    if (parts.some((part) => NEVER_WATCHED.test(part))) return true;
    if (isDirectory ? existsSync(join(path, 'pyvenv.cfg')) : WRITTEN_BY_PROGRAMS.test(path)) return true;
    return others.some((other) => path.startsWith(other)) || isIgnoredByRules(path, isDirectory);
  };
}

/** The directory of the repository that a directory is in; the directory itself when there is none. */
function repositoryOf(directory: string): string {
  for (let at = directory; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return directory;
  }
}

function readRules(path: string): Ignore | undefined {
  try {
    return ignore().add(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
