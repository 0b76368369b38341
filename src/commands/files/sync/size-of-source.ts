import { NO_ITEMS } from '../../../core/files/external-sort.ts';
import type { Bytes } from '../../../core/unit-types.ts';
import { compareFolders } from './compare-folders.ts';
import type { Sync, SyncValues } from './open-sync.ts';

/** A side without anything. */
const nothing = (sync: Sync): Sync['target'] => ({ ...sync.target, list: () => Promise.resolve(NO_ITEMS) });

/** How much the files of the source have together, those that belong to the sync. It is cheap for a local folder only. */
export async function sizeOfSource(sync: Sync, { ignoreFile }: SyncValues): Promise<Bytes> {
  let bytes = 0;
  const options = { filter: sync.filter, ignoreFiles: ignoreFile, platform: sync.platform };
  for await (const each of compareFolders(sync.source, nothing(sync), options))
    if (each.kind === 'file' && each.refused === undefined) bytes += each.source.from.file.bytes;
  return bytes;
}
