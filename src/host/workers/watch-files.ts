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

interface WatchedDirectory {
  readonly directory: string;
  readonly endpoints: readonly string[];
}

interface WatchOptions {
  readonly clock: Clock;
  /** Absolute paths. */
  readonly ownFiles: readonly string[];
  /** This process's output may be redirected to it, whatever its name. */
  readonly isOwnOutput: (file: FileNumbers) => boolean;
  /** Files and directories, for each watched directory. */
  readonly limit: number;
  /** `file` is relative to the directory. */
  readonly onChange: (endpoints: readonly string[], file: string) => void;
  /** Its further changes are ignored. */
  readonly onOften: (file: string) => void;
  /** Once per directory of which not everything is watched. */
  readonly onUnwatched: (directory: string, reason: string) => void;
}

/** Identifies a file independently of its path. */
export interface FileNumbers {
  readonly dev: number;
  readonly ino: number;
}

/** Editors write a file in several steps: together they are one change. */
const SETTLE_MS: Milliseconds = 100;
/** A file that changes more often is written by a program. */
const MAX_CHANGES = 4;
const CHANGES_PERIOD_MS = 10_000;

/** Symbolic links are not followed. Resolves when it watches. */
export async function watchFiles(
  directories: readonly WatchedDirectory[],
  options: WatchOptions,
): Promise<() => Promise<void>> {
  const { watch } = await import('chokidar');
  const watchers = await Promise.all(
    directories.map(async (watched) => {
      const { directory } = watched;
      const unwatched = onceOf((reason: string) => {
        options.onUnwatched(directory, reason);
      });
      const changed = createChangeFilter(watched, options);
      const watcher = watch(directory, {
        ignoreInitial: true,
        // A link may lead out of the directory, to a complete disk, or back into it.
        followSymlinks: false,
        ignored: createFilter(directory, options, unwatched),
      });
      watcher.on('all', (event, path) => {
        if (event === 'add' || event === 'change' || event === 'unlink') changed(relative(directory, path));
      });
      // For example too many watched files on this machine: the others are still watched.
      watcher.on('error', (error) => {
        unwatched(messageOf(error));
      });
      await new Promise<void>((resolve) => watcher.once('ready', resolve));
      return watcher;
    }),
  );
  return async () => {
    await Promise.all(watchers.map((watcher) => watcher.close()));
  };
}

/** `unwatched` is called where a limit is the reason. */
function createFilter(
  directory: string,
  { ownFiles, isOwnOutput, limit }: WatchOptions,
  unwatched: (reason: string) => void,
): (path: string, stats?: Stats) => boolean {
  const isIgnored = createIgnored(directory, ownFiles);
  const found = new Set<string>();
  const isAboveLimit = (path: string): boolean => {
    if (found.has(path)) return false;
    if (found.size < limit) {
      found.add(path);
      return false;
    }
    unwatched(`it has more than ${String(limit)} files`);
    return true;
  };
  return (path, stats) => {
    if (stats === undefined) return isIgnored(path, false);
    if (stats.isSymbolicLink() || isIgnored(path, stats.isDirectory())) return true;
    return isOwnOutput(stats) || isAboveLimit(path);
  };
}

function onceOf<T>(tell: (value: T) => void): (value: T) => void {
  let isTold = false;
  return (value) => {
    if (!isTold) tell(value);
    isTold = true;
  };
}

function createChangeFilter(
  { endpoints }: WatchedDirectory,
  { clock, onChange, onOften }: WatchOptions,
): (file: string) => void {
  const times = new Map<string, readonly number[]>();
  let isPending = false;
  const isOften = (file: string): boolean => {
    const now = clock.monotonic();
    const recent = [...(times.get(file) ?? []), now].filter((time) => now - time < CHANGES_PERIOD_MS);
    const before = times.get(file)?.length ?? 0;
    if (before > MAX_CHANGES) return true;
    times.set(file, recent);
    if (recent.length <= MAX_CHANGES) return false;
    onOften(file);
    return true;
  };
  return (file) => {
    if (isPending || isOften(file)) return;
    isPending = true;
    void clock.sleep(SETTLE_MS).then(() => {
      isPending = false;
      onChange(endpoints, file);
    });
  };
}
