import { dirname, join } from 'node:path';
import type { DurableFiles } from '../../core/context.ts';
import { usage } from '../../core/failure.ts';
import type { BatchFile } from '../model/batch.ts';
import { findBatch, readHeader } from './journal.ts';
import { type BatchHeader, isSameBatch } from './record.ts';
import { inputCopyPath, isTorn, journalPath, lockPath, OWN_ENDS, ownedFiles } from './file-names.ts';

export interface BatchContents {
  readonly path: string;
  readonly header: BatchHeader;
  readonly files: readonly BatchFile[];
}

/** The journal last, so that a removal can be repeated. Fails with usage (2) while a process uses it. */
export async function findContents(durable: DurableFiles, name: string): Promise<BatchContents> {
  const { path, header } = await findBatch(durable, name);
  const holder = await durable.holder(lockPath(path));
  if (holder !== undefined)
    throw usage(
      `process ${String(holder.pid)} on ${holder.host} works on the batch at ${path}`,
      'Stop it first: Ctrl-C, or kill it.',
    );
  return { path, header, files: await foundFiles(durable, path, header) };
}

async function foundFiles(durable: DurableFiles, path: string, { input }: BatchHeader): Promise<readonly BatchFile[]> {
  const others = [lockPath(path), ...(input.copied === true ? [] : [inputCopyPath(path)])];
  const own = OWN_ENDS.map((end) => path + end).filter((name) => !others.includes(name));
  const torn = (await durable.entries(dirname(path))).filter(({ name }) => isTorn(path, name));
  const files: BatchFile[] = [];
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

/** Removes nothing and fails with usage (2) when the batch changed since; else with local-file (14). */
export async function removeBatch(durable: DurableFiles, { path, header, files }: BatchContents): Promise<void> {
  const release = await durable.lock(lockPath(path), ownedFiles(path));
  try {
    const isSame = isSameBatch(header, await readHeader(durable, journalPath(path)));
    if (!isSame || textOf(files) !== textOf(await foundFiles(durable, path, header)))
      throw usage(
        `the files of the batch ${path} are not those that were listed: it was worked on, or another batch took its place`,
        'Nothing was removed. Give the same command again to see what there is now.',
      );
    for (const { address } of files) await durable.remove(address);
  } finally {
    await release();
  }
}

const textOf = (files: readonly BatchFile[]): string =>
  files
    .map(({ address, bytes }) => `${address} ${bytes}`)
    .sort()
    .join('\n');
