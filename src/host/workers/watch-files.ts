import { existsSync, readFileSync, type Stats } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import type { Clock } from '../../core/context.ts';
import { messageOf } from '../../core/failure.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

/** Directories never watched, and files that programs write while they run. */
const NEVER_WATCHED = /^(\.git|\.hg|\.svn|node_modules|__pycache__|\.pytest_cache|\.mypy_cache)$/;
const WRITTEN_BY_PROGRAMS = /\.(jsonl|ndjson)(\..*)?$|\.(log|tmp|pyc)$/i;

/** By .gitignore, virtual environments and program output. `others`: absolute paths, also as prefixes. */
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

  /** By the rules beside it and above; with the first of its directories that is. */
  const isIgnoredByRules = (path: string, isDirectory: boolean): boolean => {
    const parts = relative(top, path).split(sep);
    return parts.some((_, at) => {
      const name = parts.slice(at).join('/');
      return rulesIn(join(top, ...parts.slice(0, at)))?.ignores(isDirectory ? `${name}/` : name) === true;
    });
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

/** The directory itself if it is not in a repository. */
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

interface WatchOptions {
  readonly clock: Clock;
  /** Absolute paths. */
  readonly ownFiles: readonly string[];
  /** This process's output may be redirected to it, whatever its name. */
  readonly isOwnOutput: (file: FileNumbers) => boolean;
  /** Files and directories. */
  readonly limit: number;
  /** `file` is relative to the directory. */
  readonly onChange: (file: string) => void;
  /** Once where not everything is watched. */
  readonly onUnwatched: (reason: string) => void;
}

/** Identifies a file independently of its path. */
export interface FileNumbers {
  readonly dev: number;
  readonly ino: number;
}

/** Editors write a file in several steps: together they are one change. */
const SETTLE_MS: Milliseconds = 100;

/** Symbolic links are not followed: one may lead to a complete disk, or back. Resolves when it watches. */
export async function watchFiles(directory: string, options: WatchOptions): Promise<() => Promise<void>> {
  const { watch } = await import('chokidar');
  let [isUnwatched, isPending] = [false, false];
  const unwatched = (reason: string): void => {
    if (!isUnwatched) options.onUnwatched(reason);
    isUnwatched = true;
  };
  const watcher = watch(directory, {
    ignoreInitial: true,
    followSymlinks: false,
    ignored: createFilter(directory, options, unwatched),
  });
  watcher.on('all', (event, path) => {
    if (isPending || !['add', 'change', 'unlink'].includes(event)) return;
    isPending = true;
    void options.clock.sleep(SETTLE_MS).then(() => {
      isPending = false;
      options.onChange(relative(directory, path));
    });
  });
  // For example too many watched files on this machine: the others are still watched.
  watcher.on('error', (error) => {
    unwatched(messageOf(error));
  });
  await new Promise<void>((resolve) => watcher.once('ready', resolve));
  return () => watcher.close();
}

/** `unwatched` is called where the limit is the reason. */
function createFilter(
  directory: string,
  { ownFiles, isOwnOutput, limit }: WatchOptions,
  unwatched: (reason: string) => void,
): (path: string, stats?: Stats) => boolean {
  const isIgnored = createIgnored(directory, ownFiles);
  const found = new Set<string>();
  return (path, stats) => {
    if (stats === undefined) return isIgnored(path, false);
    if (stats.isSymbolicLink() || isIgnored(path, stats.isDirectory()) || isOwnOutput(stats)) return true;
    if (found.size < limit) found.add(path);
    else if (!found.has(path)) unwatched(`it has more than ${String(limit)} files`);
    return !found.has(path);
  };
}
