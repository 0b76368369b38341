import { relative } from 'node:path';
import type { Clock } from '../../core/context.ts';
import { createIgnored } from './ignored-files.ts';

/** A directory whose files are watched for some endpoints. */
export interface WatchedDirectory {
  readonly directory: string;
  readonly endpoints: readonly string[];
}

export interface WatchOptions {
  readonly clock: Clock;
  /** Absolute paths that berth itself writes. */
  readonly ownFiles: readonly string[];
  /** Called when a file has changed, with its path relative to the directory. */
  readonly onChange: (endpoints: readonly string[], file: string) => void;
  /** Called when a file changes so often that its further changes are ignored. */
  readonly onOften: (file: string) => void;
}

/** Changes that come within this time are one change: editors write a file in several steps. Milliseconds. */
const SETTLE_MS = 100;
/** A file that changes more often than this is written by a program and not by a person. */
const MAX_CHANGES = 4;
const CHANGES_PERIOD_MS = 10_000;

/** Watches the files in some directories. Resolves, when it does so, with a function that ends it. */
export async function watchFiles(
  directories: readonly WatchedDirectory[],
  options: WatchOptions,
): Promise<() => Promise<void>> {
  const { watch } = await import('chokidar');
  const watchers = await Promise.all(
    directories.map(async (watched) => {
      const { directory } = watched;
      const isIgnored = createIgnored(directory, options.ownFiles);
      const watcher = watch(directory, {
        ignoreInitial: true,
        ignored: (path, stats) => isIgnored(path, stats?.isDirectory() ?? false),
      });
      const changed = createChangeFilter(watched, options);
      watcher.on('all', (event, path) => {
        if (event === 'add' || event === 'change' || event === 'unlink') changed(relative(directory, path));
      });
      // For example too many watched files: the others are watched all the same.
      watcher.on('error', () => undefined);
      await new Promise<void>((resolve) => watcher.once('ready', resolve));
      return watcher;
    }),
  );
  return async () => {
    await Promise.all(watchers.map((watcher) => watcher.close()));
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
