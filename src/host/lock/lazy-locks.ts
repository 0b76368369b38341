import type { FileLocks } from '../../core/files/locks.ts';
import type { FileLocksOptions } from './file-locks.ts';

/** Creates locks whose code is loaded when the first one is taken: most commands take none. */
export function createLazyLocks(options: FileLocksOptions): FileLocks {
  let loaded: Promise<FileLocks> | undefined;
  const load = (): Promise<FileLocks> =>
    (loaded ??= import('./file-locks.ts').then(({ createFileLocks }) => createFileLocks(options)));
  return {
    take: async (path, lockOptions) => (await load()).take(path, lockOptions),
    holder: async (path) => (await load()).holder(path),
  };
}
