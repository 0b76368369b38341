import { isAbsolute, resolve } from 'node:path';

/**
 * A name of a file from the root on. The working directory is asked for only where the name is relative to it: fails
 * with local-file (14) where it was removed.
 */
export const absolutePath = (runtime: { readonly cwd: string }, path: string): string =>
  isAbsolute(path) ? resolve(path) : resolve(runtime.cwd, path);
