import { dirname } from 'node:path';
import { copyPath } from './file-names.ts';
import { journalPath } from './journal/journal.ts';
import { orderedPath, sortingPaths } from './results/order-results.ts';
import type { DurableFiles } from '../../core/context.ts';
import { localFile, usage } from '../../core/failure.ts';
import { resumeLine } from '../../commands/jobs/batch/view.ts';

/**
 * The file that a name for results means, links followed: beside it lies the journal. Looks and changes nothing. Fails
 * with usage (2) for what names no file, with local-file (14) where something else than a file is there.
 */
export async function resultsPath(durable: DurableFiles, name: string): Promise<string> {
  if (name === '' || name === '-' || name.endsWith('/'))
    throw usage(
      `results go to a file, and ${JSON.stringify(name)} is the name of none`,
      'Beside the file a journal is kept, from which a batch goes on after anything.',
    );
  const { path, kind } = await durable.resolve(name);
  if (kind === 'directory' || kind === 'other')
    throw localFile(
      `${path} is ${kind === 'directory' ? 'a directory' : 'no regular file'}`,
      'Results go to a regular file: it is cut and read again where a batch goes on.',
    );
  return path;
}

/**
 * Known before the input is read, which may take long. Fails with local-file (14) where there are results or a batch
 * already, or no directory for them, or a file where the input is to be `copied` to. `local` as in `resumeLine`.
 */
export async function mustBeNew(durable: DurableFiles, path: string, copied: boolean, local: boolean): Promise<void> {
  if ((await durable.resolve(path)).kind === 'no-folder')
    throw localFile(`the directory ${dirname(path)} does not exist`, 'Make it, or name another --out.');
  if (await isThere(durable, journalPath(path)))
    throw localFile(
      `there is a batch at ${path} already`,
      `Go on with it: ${resumeLine(local, path)}. Or name another --out.`,
    );
  if (((await durable.size(path)) ?? 0) > 0) throw localFile(`${path} exists already`, 'Name another --out.');
  for (const name of [orderedPath(path), ...sortingPaths(path)]) await mustBeFree(durable, name);
  if (copied) await mustBeFree(durable, copyPath(path));
}

/** A batch makes files of its own beside its results, and takes none that is there. Fails with local-file (14). */
async function mustBeFree(durable: DurableFiles, path: string): Promise<void> {
  if (await isThere(durable, path))
    throw localFile(`${path} exists already, and this batch would write it`, 'Move it away, or name another --out.');
}

/** A link to nothing is there as well: what takes its place would end it. */
async function isThere(durable: DurableFiles, name: string): Promise<boolean> {
  const { path, kind } = await durable.resolve(name);
  return kind !== 'nothing' || path !== name;
}
