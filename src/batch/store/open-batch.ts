/** A batch whose files are open and whose lock is held: begun, recovered, written to, finished. */
import { isDeepStrictEqual } from 'node:util';
import { saveTail } from '../bytes/synced-files.ts';
import type { BatchSettings, KnownJob, Resubmit, RunEnd } from '../model/batch.ts';
import { type EndEvent, hasResult, type ItemEvent, itemsLeft, type ItemStates } from '../model/item-states.ts';
import { type LineOwner, resultLine } from '../model/result-line.ts';
import { createJournal, type Journal, reopenJournal } from './journal.ts';
import { inputCopyPath, journalPath, lockPath, orderedPath, ownedFiles, tornPath } from './paths.ts';
import type { BatchHeader, EventData } from './record.ts';
import { type JournalState, replayJournal } from './replay.ts';
import {
  checksumOf,
  openResults,
  orderResults,
  readResults,
  type Results,
  type ResultsContent,
  type ResultsExtent,
} from './results-file.ts';
import type { DurableFiles } from '../../core/context.ts';
import { localFile } from '../../core/failure.ts';
import type { Json } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Bytes } from '../../core/unit-types.ts';

export interface OpenBatch extends JournalState {
  readonly journal: Journal;
  readonly results: Results;
  /** Undefined when they are not sorted. */
  readonly sortedBytes: Bytes | undefined;
  readonly repairs: readonly string[];
  close(): Promise<void>;
}

type Release = () => Promise<void>;

/** Holds the lock, so that checked files cannot change. Removes the copy of an input on failure without a journal. */
export async function withNewPlace<T>(
  durable: DurableFiles,
  path: string,
  create: (release: Release) => Promise<T>,
): Promise<T> {
  const release = await durable.lock(lockPath(path), ownedFiles(path));
  try {
    return await create(release);
  } catch (error) {
    if ((await durable.size(journalPath(path))) === undefined)
      await durable.remove(inputCopyPath(path)).catch(() => undefined);
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
  // An empty file may be used: the user created it, or a batch was killed before it started.
  if ((await durable.size(path)) === undefined) await (await durable.create(path)).close();
  // A file without write permission is detected before there is a journal.
  const results = await openResults(durable, path, { resultBytes: 0, checksum: 0 });
  const journal = await createJournal(durable, journalPath(path), header).catch(async (error: unknown) => {
    await results.close();
    throw error;
  });
  const state = await replayJournal(durable, path);
  return withClose({ ...state, journal, results, sortedBytes: undefined, repairs: [] }, release);
}

const withClose = (parts: Omit<OpenBatch, 'close'>, release: Release): OpenBatch => ({
  ...parts,
  close: async () => {
    try {
      await parts.journal.close();
      await parts.results.close();
    } finally {
      await release();
    }
  },
});

export interface RecoverOptions {
  /** As it was read before the lock was taken. */
  readonly header?: BatchHeader | undefined;
  /** Given anew: the others stay. */
  readonly settings?: BatchSettings;
  readonly resubmit?: Resubmit | undefined;
  /** Stops the reading of the results, before anything is repaired. */
  readonly signal?: AbortSignal;
}

/** Fails with local-file (14) for a held lock, another batch, or corrupt files, which stay unrepaired. */
export async function recoverBatch(
  durable: DurableFiles,
  path: string,
  { header, settings = {}, resubmit = [], signal }: RecoverOptions,
): Promise<OpenBatch> {
  const release = await durable.lock(lockPath(path), ownedFiles(path));
  try {
    const state = await replayJournal(durable, path);
    if (header !== undefined && !isDeepStrictEqual(header, state.header))
      throw localFile(
        `another batch took the place of the one at ${path}`,
        'The one that you meant was removed. Nothing was sent or changed.',
      );
    await finishInterruptedSort(durable, path, state);
    const content = await readResults(durable, path, state, signal);
    const jobs = new Map(state.jobs.map((job) => [job.item, job]));
    checkUnrecorded(path, jobs, content);
    const { tornBytes, validBytes } = state.end;
    const journal = await reopenJournal(durable, journalPath(path), state.end);
    const repairs: string[] = [];
    if (tornBytes > 0)
      repairs.push(
        `the journal ended in ${tornBytes} bytes of an incomplete record: kept in ${tornPath(journalPath(path), validBytes)}`,
      );
    const valid = await recordResults(state, content, journal, jobs);
    if (content.size > valid.resultBytes)
      repairs.push(await truncateResults(durable, path, valid.resultBytes, content.size));
    const { states } = state;
    // Submissions without a recorded answer.
    const lost = await applyToAll(states, journal, [...states.items('sending')], 'lose');
    if (lost > 0) repairs.push(`submissions in progress when it ended, unknown now: ${lost}`);
    const again = resubmit.flatMap((each) => [...states.items(each)]).sort((a, b) => a - b);
    const hadResults = again.some((item) => hasResult(states.stateOf(item)));
    if (resubmit.length > 0)
      repairs.push(
        `items sent again: ${again.length}${again.some((item) => ['unknown', 'expired'].includes(states.stateOf(item))) ? ', some may run twice' : ''}`,
      );
    await applyToAll(states, journal, again, 'resubmit');
    if (Object.keys(settings).length > 0) await journal.write({ kind: 'settings', settings });
    const results = await openResults(durable, path, valid);
    return withClose(
      {
        ...state,
        settings: { ...state.settings, ...settings },
        journal,
        results,
        jobs: [...jobs.values()],
        sortedBytes: state.inOrder && !hadResults ? state.resultBytes : undefined,
        hasRerunItems: state.hasRerunItems || hadResults,
        resubmitted: state.resubmitted + again.length,
        repairs,
      },
      release,
    );
  } catch (error) {
    await release();
    throw error;
  }
}

/** Its process ended between the journal record and the rename. */
async function finishInterruptedSort(durable: DurableFiles, path: string, state: JournalState): Promise<void> {
  const size = await durable.size(orderedPath(path));
  if (size === undefined) return;
  if (state.endsWithOrdered && size === state.resultBytes) await durable.replace(orderedPath(path), path);
  else await durable.remove(orderedPath(path));
}

/** A result whose job is not in the journal shows a wrong journal. Fails with local-file (14). */
function checkUnrecorded(path: string, jobs: ReadonlyMap<number, KnownJob>, { unrecorded }: ResultsContent): void {
  const seen = new Set<number>();
  for (const { item, job } of unrecorded) {
    if (job === undefined) continue;
    if (seen.has(item) || jobs.get(item)?.job !== job)
      throw localFile(
        `the results file ${path} holds the result of job ${safeText(job).slice(0, 100)}, item ${item}, and the journal does not contain that job`,
        `The journal was shortened, or belongs to other results. Nothing was sent or changed: items that ran already would run again. Restore the complete ${journalPath(path)}; or begin a new batch, with another --out, of the items that have no line in ${path}.`,
      );
    seen.add(item);
  }
}

/** For results not in the journal: the service may not have them any more. */
async function recordResults(
  { states }: JournalState,
  { recorded, unrecorded }: ResultsContent,
  journal: Journal,
  jobs: Map<number, KnownJob>,
): Promise<ResultsExtent> {
  let valid = recorded;
  for (const { item, job, ending, extent } of unrecorded) {
    const event = job === undefined ? ({ kind: 'refuse' } as const) : ({ kind: 'end', ending } as const);
    if (job !== jobs.get(item)?.job || !states.apply(item, event)) return valid;
    await journal.write({ kind: 'event', item, event, data: extent });
    jobs.delete(item);
    valid = extent;
  }
  return valid;
}

/** The rest is saved to another file: another program may have written it. */
async function truncateResults(durable: DurableFiles, path: string, validBytes: number, size: number): Promise<string> {
  const saved = await saveTail(durable, path, validBytes, tornPath(path, validBytes));
  const file = await durable.open(path);
  await file.truncate(validBytes);
  await file.close();
  return `the results file ended in ${size - validBytes} bytes that are not a complete result of this batch: kept in ${saved}`;
}

/** Resolves with their number when all records are on disk: they are synced in order, so the last one is enough. */
async function applyToAll(
  states: ItemStates,
  journal: Journal,
  items: readonly number[],
  kind: 'lose' | 'resubmit',
): Promise<number> {
  let written: Promise<void> | undefined;
  for (const item of items) {
    states.apply(item, { kind });
    written = journal.write({ kind: 'event', item, event: { kind }, data: {} });
  }
  await written;
  return items.length;
}

/** What a run writes down of its items. `now` returns milliseconds since the epoch. */
export function createRecords(
  { states, jobIds, journal, results, jobs }: Pick<OpenBatch, 'states' | 'jobIds' | 'journal' | 'results' | 'jobs'>,
  now: () => number,
) {
  const record = (item: number, event: ItemEvent, data: EventData = {}): Promise<void> => {
    if (!states.apply(item, event)) throw new Error(`item ${item} is ${states.stateOf(item)} and cannot ${event.kind}`);
    return journal.write({ kind: 'event', item, event, data });
  };
  return {
    states,
    jobs,
    /** Resolves when the record is on disk. */
    record,
    /** Its record failed and no request was sent. Records nothing. */
    forgetIntent: (item: number): void => {
      states.apply(item, { kind: 'withdraw' });
    },
    /** The result first, then the record of its end. */
    saveResult: async (owner: LineOwner, document: Json, event: EndEvent): Promise<void> => {
      const { resultBytes, checksum } = await results.append(resultLine(owner, document));
      await record(owner.item, event, { resultBytes, checksum, at: now() });
    },
    /** False when another job of the batch has this id. */
    addJobId: (id: string): boolean => jobIds.add(id),
    idle: async (): Promise<void> => {
      await Promise.all([journal.idle(), results.idle()]);
    },
  };
}

export type RunRecords = ReturnType<typeof createRecords>;

/** Sorts an ordered or rerun batch when every item has ended. File errors (14) are in `stopped`. */
export async function finishBatch(
  durable: DurableFiles,
  path: string,
  { journal, results, header, states, hasRerunItems, sortedBytes }: OpenBatch,
  end: RunEnd,
  interrupt: AbortSignal,
): Promise<RunEnd> {
  if (end.stopped?.failure !== undefined) return end;
  const { resultBytes, checksum } = results.extent();
  const unordered = (header.ordered || hasRerunItems) && sortedBytes !== resultBytes;
  try {
    await journal.check();
    await results.check();
    if (itemsLeft(end.counts) > 0) return end;
    if ((await checksumOf(durable, path, resultBytes, interrupt)) !== checksum)
      throw localFile(
        `the results file ${path} was changed by another program while the batch ran`,
        'Its journal has the state of the batch; which results are intact is unknown.',
      );
    const write: Journal['write'] = (record) => journal.write(record);
    if (unordered) await orderResults(durable, { path, resultBytes, states }, write, interrupt);
    return end;
  } catch (failure) {
    if (interrupt.aborted && failure === interrupt.reason)
      return { ...end, stopped: { reason: 'interrupt' }, unordered };
    return { ...end, stopped: { reason: 'error', failure } };
  }
}
