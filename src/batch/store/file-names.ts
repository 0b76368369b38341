/** Names of the files that a batch keeps in the directory of its results file. */
import { basename, dirname, isAbsolute, relative } from 'node:path';
import type { Bytes } from '../../core/unit-types.ts';

export const journalPath = (results: string): string => `${results}.journal`;
/** The journal while its header is written. */
export const newJournalPath = (journal: string): string => `${journal}.new`;
/** Where the journal ended when it was last synced. */
export const endPath = (journal: string): string => `${journal}.end`;
export const lockPath = (results: string): string => `${results}.journal.lock`;

/** The sorted results, until they replace the results file. */
export const orderedPath = (results: string): string => `${results}.ordered`;

/**
 * The copy of an input that can be read only once, such as stdin. It has the temporary name until the journal exists: a
 * file with the final name but without a journal was made by another program and is never changed.
 */
export const temporaryCopyPath = (results: string): string => `${results}.input.new`;
export const inputCopyPath = (results: string): string => `${results}.input`;

/** What the names of the files of a batch end with, beside its results and what was cut off. */
export const OWN_ENDS: readonly string[] = [
  ...[journalPath, lockPath, orderedPath, inputCopyPath, temporaryCopyPath].map((pathOf) => pathOf('')),
  newJournalPath(journalPath('')),
  endPath(journalPath('')),
];

/** The files that only the holder of the lock of a batch writes. */
export const ownedFiles = (results: string): readonly string[] => {
  const journal = journalPath(results);
  return [journal, endPath(journal), results];
};

/** What was cut off a journal or a results file at this offset. */
export const tornPath = (path: string, offset: Bytes): string => `${path}.torn-${String(offset)}`;

/** What a name ends with that a batch gives to what is cut off its results or its journal; undefined for another name. */
export const tornEnd = (name: string): string | undefined => /(?:\.journal)?\.torn-[\d.]+$/.exec(name)?.[0];

/** Whether a file has what was cut off the journal or the results of a batch, by its name. */
export function isTorn(results: string, name: string): boolean {
  const end = name.slice(basename(results).length);
  return name.startsWith(basename(results)) && tornEnd(end) === end;
}

/**
 * Returns the input's path as the journal stores it: relative to the directory of the results when the input is in or
 * below that directory, so that both can be moved together, and absolute otherwise. Both arguments are absolute paths.
 */
export function storedInputPath(results: string, input: string): string {
  const path = relative(dirname(results), input);
  return isAbsolute(path) || /^\.\.([/\\]|$)/.test(path) ? input : path;
}
