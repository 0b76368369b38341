import { type JournalState, replayJournal } from './replay.ts';
import type { DurableFiles } from '../../core/context.ts';
import { localFile } from '../../core/failure.ts';
import { inputCopyPath, journalPath, lockPath, ownedFiles, temporaryCopyPath } from './file-names.ts';
import { createJournal, type Journal } from './journal.ts';
import type { BatchHeader } from './record.ts';
import { NO_RESULTS, openResults, type Results } from './results-file.ts';
import type { Bytes } from '../../core/unit-types.ts';

/** Its files are open and its lock is held. */
export interface OpenBatch extends Pick<
  JournalState,
  'header' | 'settings' | 'states' | 'jobs' | 'failed' | 'jobIds' | 'hasRerunItems' | 'resubmitted' | 'workerPrice'
> {
  readonly journal: Journal;
  readonly results: Results;
  /** Undefined when they are not sorted. */
  readonly sortedBytes: Bytes | undefined;
  readonly repairs: readonly string[];
  close(): Promise<void>;
}

type Release = () => Promise<void>;

/** Holds the lock, so that checked files cannot change. Removes the copy on failure without a journal. */
export async function withNewPlace<T>(
  durable: DurableFiles,
  path: string,
  copiesInput: boolean,
  create: (release: Release) => Promise<T>,
): Promise<T> {
  const release = await durable.lock(lockPath(path), ownedFiles(path));
  try {
    return await create(release);
  } catch (error) {
    if (copiesInput) await removeCopy(durable, path).catch(() => undefined);
    await release();
    throw error;
  }
}

/** Hold the lock. Once the journal exists, it can be resumed. Fails with local-file (14). */
export async function createBatch(
  durable: DurableFiles,
  path: string,
  header: BatchHeader,
  release: Release,
): Promise<OpenBatch> {
  await createResultsFile(durable, path);
  // A file without write permission is detected before there is a journal.
  const results = await openResults(durable, path, NO_RESULTS);
  const journal = await createJournal(durable, journalPath(path), header).catch(async (error: unknown) => {
    await results.close();
    throw error;
  });
  if (header.input.copied === true) await durable.replace(temporaryCopyPath(path), inputCopyPath(path));
  const state = await replayJournal(durable, path);
  return withClose({ ...state, journal, results, sortedBytes: undefined, repairs: [] }, release);
}

/** An empty file may be used: the user created it, or a batch was killed before it started. */
async function createResultsFile(durable: DurableFiles, path: string): Promise<void> {
  const size = await durable.size(path);
  if (size === undefined) await (await durable.create(path)).close();
  else if (size > 0) throw localFile(`${path} exists already`, 'Name another --out.');
}

/** Unless a journal exists: the batch can then be resumed and needs the copy. */
async function removeCopy(durable: DurableFiles, path: string): Promise<void> {
  if ((await durable.size(journalPath(path))) === undefined) await durable.remove(temporaryCopyPath(path));
}

export function withClose(parts: Omit<OpenBatch, 'close'>, release: Release): OpenBatch {
  return {
    ...parts,
    close: async () => {
      try {
        await parts.journal.close();
        await parts.results.close();
      } finally {
        await release();
      }
    },
  };
}
