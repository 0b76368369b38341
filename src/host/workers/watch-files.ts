import type { Stats } from 'node:fs';
import { basename, relative } from 'node:path';
import type { Clock } from '../../core/context.ts';
import { messageOf } from '../../core/failure.ts';
import { createIgnored } from './ignored-files.ts';
import { watchReplaced, type OpenWatcher } from './replaced-folders.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

/** A directory whose files are watched for some endpoints. */
export interface WatchedDirectory {
  readonly directory: string;
  readonly endpoints: readonly string[];
}

export interface WatchOptions {
  readonly clock: Clock;
  /** Absolute paths that berth itself writes. */
  readonly ownFiles: readonly string[];
  /** Whether a file is one that this process has open for its output, whatever its name. */
  readonly isOwnOutput: (file: FileNumbers) => boolean;
  /** How many files and directories are watched at most, in each of the directories. */
  readonly limit: number;
  /** Called when a file has changed or a directory was replaced, with its path relative to the directory. */
  readonly onChange: (endpoints: readonly string[], file: string) => void;
  /** Called when a file changes so often that its further changes are ignored. */
  readonly onOften: (file: string) => void;
  /** Called once for a directory of which not everything is watched, with the reason. */
  readonly onUnwatched: (directory: string, reason: string) => void;
}

/** What names a file independently of its path. */
export interface FileNumbers {
  readonly dev: number;
  readonly ino: number;
}

/** Changes that come within this time are one change: editors write a file in several steps. */
const SETTLE_MS: Milliseconds = 100;
/** A file that changes more often than this is written by a program and not by a person. */
const MAX_CHANGES = 4;
const CHANGES_PERIOD_MS = 10_000;

/**
 * Watches the files in some directories, also after one of the directories was removed and made again. Symbolic links are
 * not followed. Resolves, when it does so, with a function that ends it.
 */
export async function watchFiles(
  directories: readonly WatchedDirectory[],
  options: WatchOptions,
): Promise<() => Promise<void>> {
  const { watch } = await import('chokidar');
  const ends = await Promise.all(
    directories.map(async (watched) => {
      const { directory } = watched;
      const unwatched = onceOf((reason: string) => {
        options.onUnwatched(directory, reason);
      });
      const changed = createChangeFilter(watched, options);
      const open: OpenWatcher = async (onRename) => {
        const watcher = watch(directory, {
          ignoreInitial: true,
          // A link may lead out of the directory, to a whole disk, or back into it.
          followSymlinks: false,
          ignored: createFilter(directory, options, unwatched),
        });
        watcher.on('all', (event, path) => {
          if (event === 'add' || event === 'change' || event === 'unlink') changed(relative(directory, path));
        });
        watcher.on('raw', (event, name, details) => {
          if (event === 'rename') onRename((details as { readonly watchedPath: string }).watchedPath, name);
        });
        // For example too many watched files on this machine: the others are watched all the same.
        watcher.on('error', (error) => {
          unwatched(messageOf(error));
        });
        await new Promise<void>((resolve) => watcher.once('ready', resolve));
        return watcher;
      };
      return watchReplaced(directory, options.clock, open, (path) => {
        changed(relative(directory, path) || basename(directory));
      });
    }),
  );
  return async () => {
    await Promise.all(ends.map((end) => end()));
  };
}

/** Returns what tells whether a path of the directory is not watched. `unwatched` is called where a limit is the reason. */
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

/** Calls `tell` the first time only. */
function onceOf<T>(tell: (value: T) => void): (value: T) => void {
  let isTold = false;
  return (value) => {
    if (!isTold) tell(value);
    isTold = true;
  };
}

/** Joins changes that come together, and leaves out files that a program keeps writing. */
function createChangeFilter(
  { endpoints }: WatchedDirectory,
  { clock, onChange, onOften }: WatchOptions,
): (file: string) => void {
  const times = new Map<string, readonly number[]>();
  let pending: string | undefined;
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
    if (pending !== undefined) {
      // Most changes of a file come in one go; they count once.
      return;
    }
    if (isOften(file)) return;
    pending = file;
    void clock.sleep(SETTLE_MS).then(() => {
      pending = undefined;
      onChange(endpoints, file);
    });
  };
}
