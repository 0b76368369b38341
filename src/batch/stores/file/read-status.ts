import type { BatchStatus, StorePorts } from '../../model/store.ts';
import type { ItemCounts } from '../../model/item-states.ts';
import { lockPath } from './journal/file-names.ts';
import type { JournalRecord } from './journal/record.ts';
import { replayJournal, type JournalState } from './journal/replay.ts';
import { mustExist } from './results-path.ts';
import { inputName } from './stored-inputs.ts';

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
  { durable, reference }: Pick<StorePorts, 'durable' | 'reference'>,
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
    name: path,
    reference: reference(path),
    endpoint: header.endpoint,
    input: await inputName(durable, path, header),
    service: header.service,
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

/** Returns the counts when no process runs the batch: items in `sending` count as unknown. */
function countsWhenStopped({ states }: JournalState): ItemCounts {
  const counts = states.counts();
  const sending = states.count('sending');
  return { ...counts, unknown: counts.unknown + sending, inFlight: counts.inFlight - sending };
}
