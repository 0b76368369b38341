/** Names of the files that a batch keeps in the directory of its results file. */
import { dirname, isAbsolute, relative } from 'node:path';

export const journalPath = (results: string): string => `${results}.journal`;
export const lockPath = (results: string): string => `${results}.journal.lock`;

/** The sorted results, until they replace the results file. */
export const orderedPath = (results: string): string => `${results}.ordered`;

/** Temporary files of the sort of an earlier version, which may have been killed. */
export const sortingPaths = (results: string): readonly [string, string] => [
  `${results}.sorting-0`,
  `${results}.sorting-1`,
];

/**
 * The copy of an input that can be read only once, such as stdin. It has the temporary name until the journal exists: a
 * file with the final name but without a journal was made by another program and is never changed.
 */
export const temporaryCopyPath = (results: string): string => `${results}.input.new`;
export const inputCopyPath = (results: string): string => `${results}.input`;

/**
 * Returns the input's path as the journal stores it: relative to the directory of the results when the input is in or
 * below that directory, so that both can be moved together, and absolute otherwise. Both arguments are absolute paths.
 */
export function storedInputPath(results: string, input: string): string {
  const path = relative(dirname(results), input);
  return isAbsolute(path) || /^\.\.([/\\]|$)/.test(path) ? input : path;
}
