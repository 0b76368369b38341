import { isAbsolute, resolve } from 'node:path';

/**
 * Returns the absolute form of a path; links are not followed. The working directory is read only for a relative path:
 * fails with local-file (14) when that directory was removed.
 */
export const absolutePath = (runtime: { readonly cwd: string }, path: string): string =>
  isAbsolute(path) ? resolve(path) : resolve(runtime.cwd, path);
