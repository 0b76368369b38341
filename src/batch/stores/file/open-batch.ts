import type { DurableFiles } from '../../../core/context.ts';
import { localFile } from '../../../core/failure.ts';
import type { DollarRange } from '../../../core/units.ts';
import { inputCopyPath, journalPath, lockPath, temporaryCopyPath } from './journal/file-names.ts';
import { createItemStates, type ItemStates } from '../../model/item-states.ts';
import { createJobIds, type JobIds } from '../../model/job-id-set.ts';
import { createJournal, type Journal } from './journal/journal.ts';
import type { BatchHeader } from './journal/record.ts';
import { NO_RESULTS, openResults, type Results } from './results/results-file.ts';
import type { KnownJob } from '../../model/known-job.ts';

/** A batch that this process works on: its files are open and its lock is held. */
export interface OpenBatch {
  readonly header: BatchHeader;
  readonly states: ItemStates;
  readonly journal: Journal;
  readonly results: Results;
  /** Jobs that have not ended. */
  readonly jobs: readonly KnownJob[];
  /** Jobs that failed or timed out, when they are to be retried. */
  readonly failed: readonly KnownJob[];
  /** Jobs that the service did not have, when they are to be asked for once more. */
  readonly expired: readonly KnownJob[];
  readonly jobIds: JobIds;
  /** Length of the results that are sorted already, in bytes; undefined when they are not. */
  readonly sortedBytes: number | undefined;
  /** True when items that had ended ran again or were sent again: the results may have two lines for one item. */
  readonly hasRerunItems: boolean;
  /** How often an item was sent again as a new job. */
  readonly resubmitted: number;
  /** The price of a worker per hour according to the journal, in US dollars. */
  readonly workerPrice: DollarRange | undefined;
  /** What was repaired when the batch was opened: one sentence each. */
  readonly repairs: readonly string[];
  close(): Promise<void>;
}

/**
 * Creates the files of a new batch. `prepare` returns its header and is called while the lock is held: files that it
 * checks do not change until the batch has begun. `copiesInput` is true when `prepare` copies the input to the
 * temporary name. Until the journal exists, the same batch can be begun again; from then on it can be resumed. Fails
 * with local-file (14) when there is a batch already or results that are not empty, and as `prepare` does. After a
 * failure, the copy of the input is removed unless the journal exists.
 */
export async function createBatch(
  durable: DurableFiles,
  path: string,
  prepare: () => Promise<BatchHeader>,
  copiesInput = false,
): Promise<OpenBatch> {
  const release = await durable.lock(lockPath(path), [journalPath(path), path]);
  try {
    const header = await prepare();
    await createResultsFile(durable, path);
    // A file without write permission is detected before there is a journal.
    const results = await openResults(durable, path, NO_RESULTS);
    const journal = await createJournal(durable, journalPath(path), header).catch(async (error: unknown) => {
      await results.close();
      throw error;
    });
    if (copiesInput) await durable.replace(temporaryCopyPath(path), inputCopyPath(path));
    const states = createItemStates(header.planned, header.planned + header.invalid);
    const jobIds = createJobIds(header.planned);
    return withClose({ header, states, journal, results, jobIds, ...NOTHING_DONE }, release);
  } catch (error) {
    if (copiesInput) await removeCopy(durable, path).catch(() => undefined);
    await release();
    throw error;
  }
}

/** The members of a new batch that describe earlier runs. */
const NOTHING_DONE = {
  jobs: [],
  failed: [],
  expired: [],
  sortedBytes: undefined,
  hasRerunItems: false,
  resubmitted: 0,
  workerPrice: undefined,
  repairs: [],
} as const;

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
export function withClose(parts: Omit<OpenBatch, 'close'>, release: () => Promise<void>): OpenBatch {
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
