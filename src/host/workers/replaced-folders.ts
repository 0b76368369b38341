import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Clock } from '../../core/context.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

/** What watches a directory now. */
export interface FolderWatcher {
  close(): Promise<void>;
}

/** Starts to watch; resolves when it does so. `onRename` is called with each path that a rename event was about. */
export type OpenWatcher = (onRename: (watchedPath: string, name: string) => void) => Promise<FolderWatcher>;

/** How often it is checked whether a directory was replaced. */
const CHECK_MS: Milliseconds = 200;

/**
 * Watches a directory, also after it, or a directory in it, was removed and made again or replaced by another: a watcher
 * stays with the directory that is gone. `onReplaced` is called with the path of the new directory when it is watched, so
 * that nothing that was changed before is missed. Resolves with a function that ends it.
 */
export async function watchReplaced(
  root: string,
  clock: Clock,
  open: OpenWatcher,
  onReplaced: (path: string) => void,
): Promise<() => Promise<void>> {
  const ending = new AbortController();
  /** Directories that were removed or renamed, and how often it was checked since whether they are there again. */
  const gone = new Map<string, number>();
  const start = async () => {
    gone.clear();
    const number = numberOf(root);
    const watcher = await open((path, name) => {
      // The name of the directory itself, and not of a file in it: this is how its own removal is told.
      if (name === basename(path)) gone.set(path, 0);
    });
    return { number, watcher };
  };
  let current = await start();

  const replaced = (): string | undefined => {
    const found = numberOf(root);
    if (found === undefined) gone.set(root, 0);
    else if (found !== current.number) return root;
    for (const [path, checks] of gone) {
      if (numberOf(path) !== undefined) return path;
      // From then on its parent tells that it is there again.
      if (path !== root && checks > 0) gone.delete(path);
      else gone.set(path, checks + 1);
    }
    return undefined;
  };
  const run = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(CHECK_MS, ending.signal);
      const path = replaced();
      if (path === undefined) continue;
      await current.watcher.close();
      current = await start();
      onReplaced(path);
    }
  };
  const running = run().catch((error: unknown) => {
    if (!ending.signal.aborted) throw error;
  });
  return async () => {
    ending.abort(new Error('the watch has ended'));
    await running;
    await current.watcher.close();
  };
}

/** What names a directory independently of its path; undefined when there is none, or it cannot be looked at. */
function numberOf(path: string): string | undefined {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats?.isDirectory() === true ? `${String(stats.dev)} ${String(stats.ino)}` : undefined;
  } catch {
    return undefined;
  }
}
