import { dirname, isAbsolute, relative } from 'node:path';
import { resumeLine } from '../model/batch.ts';
import type { DurableFiles } from '../../core/context.ts';
import { localFile, usage } from '../../core/failure.ts';
import { sentence } from '../../core/message.ts';
import type { Bytes } from '../../core/unit-types.ts';

export const journalPath = (results: string): string => `${results}.journal`;
/** While its header is written. */
export const newJournalPath = (journal: string): string => `${journal}.new`;
/** Where the journal ended when it was last synced. */
export const endPath = (journal: string): string => `${journal}.end`;
export const lockPath = (results: string): string => `${results}.journal.lock`;
/** Of an input that can be read only once. */
export const inputCopyPath = (results: string): string => `${results}.journal.input`;
/** Until they replace the results file. */
export const orderedPath = (results: string): string => `${results}.ordered`;

/** Besides the results and what was cut off. */
export const OWN_ENDS: readonly string[] = [
  ...[journalPath, lockPath, inputCopyPath, orderedPath].map((pathOf) => pathOf('')),
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

/** Follows links. Fails with usage (2) for an invalid name, local-file (14) for anything but a file. */
export async function resolveResultsPath(durable: DurableFiles, name: string): Promise<string> {
  if (name === '' || name === '-' || name.endsWith('/'))
    throw usage(
      `results are written to a file, and ${JSON.stringify(name)} is not the name of one`,
      'A journal is kept beside the file, from which the batch can be resumed.',
    );
  const { path, kind } = await durable.resolve(name);
  if (kind === 'directory' || kind === 'other')
    throw localFile(
      `${path} is ${kind === 'directory' ? 'a directory' : 'no regular file'}`,
      'Results are written to a regular file: a resume truncates it and reads it again.',
    );
  return path;
}

const ANOTHER = 'Name another --out.';

/** Fails with local-file (14) for files that exist or belong to a batch, or a missing directory. */
export async function mustBeNew(durable: DurableFiles, path: string, local: boolean): Promise<void> {
  if ((await durable.resolve(path)).kind === 'no-folder')
    throw localFile(`${dirname(path)} is not a directory`, 'Make it, or name another --out.');
  if (OWN_ENDS.some((end) => path.endsWith(end)))
    throw localFile(`${path} has a name that berth gives to the files beside results`, ANOTHER);
  if (await exists(durable, journalPath(path)))
    throw localFile(
      `there is a batch at ${path} already`,
      sentence`Go on with it: ${resumeLine(local, path)}. Or name another --out.`,
    );
  if (((await durable.size(path)) ?? 0) > 0) throw localFile(`${path} exists already`, ANOTHER);
  if (await exists(durable, orderedPath(path)))
    throw localFile(`${orderedPath(path)} exists already, and this batch would write it`, `Move it away. ${ANOTHER}`);
}

/** A dangling symbolic link exists too: replacing it would destroy it. */
async function exists(durable: DurableFiles, name: string): Promise<boolean> {
  const { path, kind } = await durable.resolve(name);
  return kind !== 'nothing' || path !== name;
}
