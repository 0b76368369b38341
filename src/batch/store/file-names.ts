import { dirname, isAbsolute, relative } from 'node:path';
import type { Bytes } from '../../core/unit-types.ts';

export const journalPath = (results: string): string => `${results}.journal`;
/** While its header is written. */
export const newJournalPath = (journal: string): string => `${journal}.new`;
/** Where the journal ended when it was last synced. */
export const endPath = (journal: string): string => `${journal}.end`;
export const lockPath = (results: string): string => `${results}.journal.lock`;

/** Until they replace the results file. */
export const orderedPath = (results: string): string => `${results}.ordered`;

/** Until the journal exists: a final name without a journal is another program's, never changed. */
export const temporaryCopyPath = (results: string): string => `${results}.input.new`;
export const inputCopyPath = (results: string): string => `${results}.input`;

/** Besides the results and what was cut off. */
export const OWN_ENDS: readonly string[] = [
  ...[journalPath, lockPath, orderedPath, inputCopyPath, temporaryCopyPath].map((pathOf) => pathOf('')),
  newJournalPath(journalPath('')),
  endPath(journalPath('')),
];

/** Only the holder of the batch's lock writes them. */
export const ownedFiles = (results: string): readonly string[] => {
  const journal = journalPath(results);
  return [journal, endPath(journal), results];
};

/** What was cut off a journal or a results file at this offset. */
export const tornPath = (path: string, offset: Bytes): string => `${path}.torn-${String(offset)}`;

/** Relative when in or below the results' directory, so that both can be moved; else absolute. */
export function storedInputPath(results: string, input: string): string {
  const path = relative(dirname(results), input);
  return isAbsolute(path) || /^\.\.([/\\]|$)/.test(path) ? input : path;
}
