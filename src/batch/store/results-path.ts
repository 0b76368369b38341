import { dirname } from 'node:path';
import { resumeLine } from '../model/command-lines.ts';
import { inputCopyPath, journalPath, orderedPath, OWN_ENDS } from './file-names.ts';
import { readHeader } from './journal.ts';
import type { BatchHeader } from './record.ts';
import type { DurableFiles } from '../../core/context.ts';
import { localFile, usage } from '../../core/failure.ts';
import { sentence } from '../../core/message.ts';

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

/** Fails with local-file (14) for files that exist or belong to a batch, or a missing directory. */
export async function mustBeNew(
  durable: DurableFiles,
  path: string,
  copiesInput: boolean,
  local: boolean,
): Promise<void> {
  if ((await durable.resolve(path)).kind === 'no-folder') {
    const folder = dirname(path);
    const isThere = ['file', 'other'].includes((await durable.resolve(folder)).kind);
    if (isThere) throw localFile(`${folder} is no directory`, 'Name another --out.');
    throw localFile(`the directory ${folder} does not exist`, 'Make it, or name another --out.');
  }
  if (await exists(durable, journalPath(path)))
    throw localFile(
      `there is a batch at ${path} already`,
      sentence`Go on with it: ${resumeLine(local, path)}. Or name another --out.`,
    );
  if (((await durable.size(path)) ?? 0) > 0) throw localFile(`${path} exists already`, 'Name another --out.');
  for (const end of OWN_ENDS) {
    const results = path.slice(0, -end.length);
    if (path.endsWith(end) && (await exists(durable, journalPath(results))))
      throw localFile(`${path} is a name that the batch at ${results} uses`, 'Name another --out.');
    if (await exists(durable, journalPath(path + end)))
      throw localFile(`a batch has its results in ${path}${end}, and this one would write that`, 'Name another --out.');
  }
  await mustBeUnused(durable, orderedPath(path));
  if (copiesInput) await mustBeUnused(durable, inputCopyPath(path));
}

/** Never overwrites a file that is not the batch's own. Fails with local-file (14). */
async function mustBeUnused(durable: DurableFiles, path: string): Promise<void> {
  if (await exists(durable, path))
    throw localFile(`${path} exists already, and this batch would write it`, 'Move it away, or name another --out.');
}

/** A dangling symbolic link exists too: replacing it would destroy it. */
async function exists(durable: DurableFiles, name: string): Promise<boolean> {
  const { path, kind } = await durable.resolve(name);
  return kind !== 'nothing' || path !== name;
}

/** Fails with local-file (14) when there is none. */
export async function mustExist(durable: DurableFiles, path: string): Promise<void> {
  if ((await durable.size(journalPath(path))) === undefined)
    throw localFile(
      `there is no batch at ${path}: ${journalPath(path)} does not exist`,
      'Name the results file that the batch was begun with (--out). If it was killed before it had begun, nothing was sent: run it again.',
    );
}

/** Fails with usage (2) and local-file (14), also when its journal does not begin as one. */
export async function findBatch(
  durable: DurableFiles,
  name: string,
): Promise<{ readonly path: string; readonly header: BatchHeader }> {
  const path = await resolveResultsPath(durable, name);
  await mustExist(durable, path);
  // Any file may have the name of a journal: it is read further only where it begins as one.
  return { path, header: await readHeader(durable, journalPath(path)) };
}
