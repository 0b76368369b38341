import type { DurableFiles } from '../core/context.ts';
import type { BatchStatus } from './results/report/report-types.ts';
import { inputCandidates, lockPath } from './stores/file/file-names.ts';
import type { ItemCounts } from './stores/items/item-states.ts';
import { LOCAL_SERVICE, type InputIdentity, type JournalRecord } from './stores/file/journal/record.ts';
import { replayJournal, type JournalState } from './stores/file/journal/replay.ts';
import { mustExist } from './stores/file/results-path.ts';
import { storedInputName } from './stored-inputs.ts';

/** The state of a batch, and the journal that it was read from. */
export interface StatusAndJournal {
  readonly status: BatchStatus;
  readonly journal: JournalState;
}

/**
 * Reads the state of a batch from its journal and changes nothing. `onRecord` is called with each record of the journal.
 * Fails with local-file (14).
 */
export async function readStatus(
  durable: DurableFiles,
  results: string,
  onRecord?: (record: JournalRecord) => void,
): Promise<StatusAndJournal> {
  const { path } = await durable.resolve(results);
  await mustExist(durable, path);
  const holder = await durable.holder(lockPath(path));
  const journal = await replayJournal(durable, path, onRecord === undefined ? {} : { onRecord });
  const { header, states } = journal;
  const counts = holder === undefined ? countsWhenStopped(journal) : states.counts();
  const unknownItems = [...states.items('unknown'), ...(holder === undefined ? states.items('sending') : [])].sort(
    (a, b) => a - b,
  );
  const left = counts.waiting + counts.inFlight > 0;
  const unordered = !left && !journal.inOrder && (header.ordered || journal.hasRerunItems);
  const resumable = left || unordered;
  const status: BatchStatus = {
    results: path,
    reference: [path],
    endpoint: header.endpoint,
    input: storedInputName(path, header.input) ?? (await findInputPath(durable, path, header.input)),
    onLocalService: header.service === LOCAL_SERVICE,
    counts,
    invalid: header.invalid,
    unknownItems,
    resubmitted: journal.resubmitted,
    unordered,
    resumable,
    state: holder !== undefined ? 'running' : resumable ? 'stopped' : 'ended',
    holder,
    begunAt: header.createdAt,
  };
  return { status, journal };
}

/** Reads the state of a batch from its journal and changes nothing. Fails with local-file (14). */
export const batchStatus = async (durable: DurableFiles, results: string): Promise<BatchStatus> =>
  (await readStatus(durable, results)).status;

/** Returns the path of the input; when the file is missing, the path at which it should be. */
async function findInputPath(durable: DurableFiles, results: string, identity: InputIdentity): Promise<string> {
  const candidates = inputCandidates(results, identity);
  for (const path of candidates) if ((await durable.size(path)) !== undefined) return path;
  return candidates[0] ?? identity.path;
}

/** Returns the counts when no process runs the batch: items in `sending` count as unknown. */
function countsWhenStopped({ states }: JournalState): ItemCounts {
  const counts = states.counts();
  const sending = states.count('sending');
  return { ...counts, unknown: counts.unknown + sending, inFlight: counts.inFlight - sending };
}
