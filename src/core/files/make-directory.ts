import { berth, sentence } from '../message.ts';
import { localFile, type Failure } from '../failure.ts';
import { errorCode, errorReason } from './file-errors.ts';

/** The file system functions that `makeDirectory` needs. */
export interface DirectorySystem {
  mkdirSync(path: string, options: { readonly mode: number }): unknown;
  /** Returns undefined for a path that does not exist. */
  statSync(path: string, options: { readonly throwIfNoEntry: false }): { isDirectory(): boolean } | undefined;
  dirname(path: string): string;
}

/**
 * Creates a directory and its missing parents, one by one, unless it exists. Node's recursive mkdir never returns when
 * an existing parent does not allow new entries, as under /proc. Fails with local-file (14).
 */
export function makeDirectory(system: DirectorySystem, path: string, mode = 0o777): void {
  try {
    if (system.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
    make(system, path, mode, true);
  } catch (error) {
    throw unusable(path, error);
  }
}

function make(system: DirectorySystem, path: string, mode: number, withParents: boolean): void {
  try {
    system.mkdirSync(path, { mode });
  } catch (error) {
    const parent = system.dirname(path);
    if (errorCode(error) === 'ENOENT' && withParents && parent !== path) {
      make(system, parent, mode, true);
      make(system, path, mode, false);
      return;
    }
    // Another process may have created it meanwhile.
    if (system.statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

function unusable(path: string, error: unknown): Failure {
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'the system does not allow a directory there',
    EEXIST: 'what is there is not a directory',
  };
  return localFile(
    `cannot use the directory ${path}: ${reasons[errorCode(error) ?? ''] ?? errorReason(error)}`,
    sentence`Name another, or make this one usable. To see where each comes from: ${berth`config list`}`,
    error,
  );
}
