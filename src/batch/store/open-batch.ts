import { type JournalState, replayJournal } from './replay.ts';
import type { DurableFiles } from '../../core/context.ts';
import { localFile } from '../../core/failure.ts';
import { inputCopyPath, journalPath, lockPath, ownedFiles, temporaryCopyPath } from './file-names.ts';
import { createJournal, type Journal } from './journal.ts';
import type { BatchHeader } from './record.ts';
import { NO_RESULTS, openResults, type Results } from './results-file.ts';
import type { Bytes } from '../../core/unit-types.ts';

/** A batch that this process works on: its files are open and its lock is held. */
export interface OpenBatch extends Omit<
  JournalState,
  'resultBytes' | 'checksum' | 'retried' | 'endsWithOrdered' | 'inOrder' | 'end'
> {
  readonly journal: Journal;
  readonly results: Results;
  /** Length of the results that are sorted already; undefined when they are not. */
  readonly sortedBytes: Bytes | undefined;
  /** What was repaired when the batch was opened: one sentence each. */
  readonly repairs: readonly string[];
  close(): Promise<void>;
}

/** Releases the lock of a batch. */
type Release = () => Promise<void>;

/**
 * Takes the lock of a new batch and calls `create`, which creates it: files that are checked meanwhile do not change until the
 * batch has begun. Fails as `create` does; the lock is released then, and a copy of the input is removed unless the journal
 * exists.
 */
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

/**
 * Creates the files of a new batch whose lock is held; the copy of an input has the temporary name. Until the journal exists,
 * the same batch can be begun again; from then on it can be resumed. Fails with local-file (14) when there is a batch already
 * or results that are not empty.
 */
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

/** An empty file may be used: the user created it, or a batch was killed before it had begun. */
async function createResultsFile(durable: DurableFiles, path: string): Promise<void> {
  const size = await durable.size(path);
  if (size === undefined) await (await durable.create(path)).close();
  else if (size > 0) throw localFile(`${path} exists already`, 'Name another --out.');
}

/**
 * Removes the copy of the input, unless a journal exists: with a journal, the batch can be resumed and needs the copy.
 */
async function removeCopy(durable: DurableFiles, path: string): Promise<void> {
  if ((await durable.size(journalPath(path))) === undefined) await durable.remove(temporaryCopyPath(path));
}

/** Adds `close`, which closes the files and releases the lock. */
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
