import { dirname, join } from 'node:path';
import type { DurableFiles } from '../../../core/context.ts';
import { usage } from '../../../core/failure.ts';
import type { StoredFile } from '../../model/store.ts';
import { requireSameFiles } from '../../model/files-as-shown.ts';
import { readHeader } from './journal/journal.ts';
import { type BatchHeader, isSameBatch } from './journal/record.ts';
import { inputCopyPath, isTorn, journalPath, lockPath, OWN_ENDS, ownedFiles } from './file-names.ts';

/**
 * Returns the files of a batch, the journal last: while it is there, the batch can be removed again. The input is not among
 * them, except for a copy of stdin. Fails with usage (2) while a process works on the batch.
 */
export async function filesOf(
  durable: DurableFiles,
  path: string,
  header: BatchHeader,
): Promise<readonly StoredFile[]> {
  const holder = await durable.holder(lockPath(path));
  if (holder !== undefined)
    throw usage(
      `process ${String(holder.pid)} on ${holder.host} works on the batch at ${path}`,
      'Stop it first: Ctrl-C, or kill it.',
    );
  return await foundFiles(durable, path, header);
}

async function foundFiles(durable: DurableFiles, path: string, { input }: BatchHeader): Promise<readonly StoredFile[]> {
  const others = [lockPath(path), ...(input.copied === true ? [] : [inputCopyPath(path)])];
  const own = OWN_ENDS.map((end) => path + end).filter((name) => !others.includes(name));
  const torn = (await durable.entries(dirname(path))).filter(({ name }) => isTorn(path, name));
  const files: StoredFile[] = [];
  for (const address of [path, ...own, ...torn.map(({ name }) => join(dirname(path), name))]) {
    const bytes = await durable.size(address);
    // The results of another batch may have such a name.
    const isOther = address !== path && (await durable.size(journalPath(address))) !== undefined;
    if (bytes !== undefined && !isOther) files.push({ address, bytes });
  }
  return files.toSorted(
    (one, other) => Number(one.address === journalPath(path)) - Number(other.address === journalPath(path)),
  );
}

/**
 * Removes the files of a batch under its lock. Fails with local-file (14), and with usage (2) when they are not those that
 * `filesOf` returned: nothing is removed then.
 */
export async function removeFiles(
  durable: DurableFiles,
  path: string,
  header: BatchHeader,
  files: readonly StoredFile[],
): Promise<void> {
  const release = await durable.lock(lockPath(path), ownedFiles(path));
  try {
    const isSame = isSameBatch(header, await readHeader(durable, journalPath(path)));
    requireSameFiles(path, files, isSame ? await foundFiles(durable, path, header) : []);
    for (const { address } of files) await durable.remove(address);
  } finally {
    await release();
  }
}
