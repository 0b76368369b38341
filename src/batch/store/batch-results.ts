import type { InputPorts } from '../read/inputs.ts';
import { type BatchHistory, type BatchStatus, createTimeline, type ResultLine, type Timeline } from '../model/batch.ts';
import { type ItemCounts, itemsLeft } from '../model/item-states.ts';
import { lockPath, OWN_ENDS } from './file-names.ts';
import type { JournalRecord } from './record.ts';
import { type JournalState, replayJournal } from './replay.ts';
import { findBatch } from './results-path.ts';
import { inputCandidates, inputName, locateInputs } from './stored-inputs.ts';
import { intactResults, resultsChanged, resultsInOrder, storedResults } from './stored-results.ts';

/** Changes nothing. Fails with local-file (14). */
export async function readStatus(
  { durable }: Pick<InputPorts, 'durable'>,
  results: string,
  onRecord?: (record: JournalRecord) => void,
) {
  const { path } = await findBatch(durable, results);
  const holder = await durable.holder(lockPath(path));
  const journal = await replayJournal(durable, path, onRecord === undefined ? {} : { onRecord });
  const { header, states } = journal;
  const counts = holder === undefined ? countsWhenStopped(journal) : states.counts();
  const unknownItems = [...states.items('unknown'), ...(holder === undefined ? states.items('sending') : [])].sort(
    (a, b) => a - b,
  );
  const left = itemsLeft(counts) > 0;
  const unordered = !left && !journal.inOrder && (header.ordered || journal.hasRerunItems);
  const resumable = left || unordered;
  const { endpoint, service, invalid, shard, createdAt: begunAt } = header;
  const status: BatchStatus = {
    ...{ endpoint, service, invalid, counts, unknownItems, unordered, resumable, holder, begunAt },
    name: path,
    input: await inputName(durable, path, header),
    resubmitted: journal.resubmitted,
    shard,
    state: holder !== undefined ? 'running' : resumable ? 'stopped' : 'ended',
  };
  return { status, journal };
}

/** Items in `sending` count as unknown. */
function countsWhenStopped({ states }: JournalState): ItemCounts {
  const counts = states.counts();
  const sending = states.count('sending');
  return { ...counts, unknown: counts.unknown + sending, inFlight: counts.inFlight - sending };
}

/** A running batch may change the files during the reading. */
const MAX_ATTEMPTS = 3;

/** The batch may still run. Fails with local-file (14) for a broken journal or other results. */
export async function readBatchResults(ports: InputPorts, results: string) {
  const { durable, signal } = ports;
  for (let attempt = 1; ; attempt++) {
    const timeline = createTimeline();
    const { status, journal } = await readStatus(ports, results, (record) => {
      addEnd(timeline, record);
    });
    const source = await intactResults(durable, status.name, journal, signal);
    // A running batch may have put its results in order since its journal was read.
    if (source === undefined && status.holder !== undefined && attempt < MAX_ATTEMPTS) continue;
    if (source === undefined) throw resultsChanged(status.name);
    const path = status.name;
    const { retried, workerPrice } = journal;
    const history: BatchHistory = { retried, workerPrice, timeline };
    return {
      status,
      header: journal.header,
      history,
      /** Absolute paths; no export replaces them. */
      files: [
        ...[path, ...OWN_ENDS.map((end) => path + end), status.input],
        ...inputCandidates(path, journal.header).flat(),
      ].map((each) => durable.absolute(each)),
      /** The last line of each item that has ended. */
      lines: (order: 'as-stored' | 'in-order'): AsyncGenerator<Iterable<ResultLine>> =>
        (order === 'in-order' ? resultsInOrder : storedResults)(durable, source, signal),
      /** Also where they were moved; compares them. Fails with usage (2). */
      inputs: (moved: readonly string[]) => locateInputs(ports, path, journal.header, moved),
    };
  }
}

function addEnd(timeline: Timeline, record: JournalRecord): void {
  if (record.kind !== 'event' || (record.event.kind !== 'end' && record.event.kind !== 'refuse')) return;
  const completed = record.event.kind === 'end' && record.event.ending === 'completed';
  if (record.data.at !== undefined) timeline.add(record.data.at, completed);
}
