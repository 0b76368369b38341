import type { DurableFiles } from '../../core/context.ts';
import { localFile } from '../../core/failure.ts';
import { safeText } from '../../core/safe-text.ts';
import { copyPath, newCopyPath } from './file-names.ts';
import { createJournal, journalPath, lockPath, reopenJournal, type Journal } from './journal/journal.ts';
import { createLedger, type Ledger } from './items/item-states.ts';
import { endEvent } from '../run/run-state.ts';
import type { RunEnd } from '../run/runner.ts';
import { createJobIds, type JobIds } from './items/job-ids.ts';
import { orderedPath, orderResults, removeSorting } from './results/order-results.ts';
import { replay, type Past, type PastJob } from './journal/replay.ts';
import type { BatchHeader, JournalRecord } from './journal/record.ts';
import {
  checksumOf,
  NO_RESULTS,
  openResults,
  readResults,
  type FoundResults,
  type Results,
  type ResultsExtent,
} from './results/results-file.ts';
import { keepAside } from './write-file.ts';

/** A batch in the hands of this process: its files open, its lock held. */
export interface OpenBatch {
  readonly header: BatchHeader;
  readonly ledger: Ledger;
  readonly journal: Journal;
  readonly results: Results;
  readonly jobs: readonly PastJob[];
  readonly failed: readonly PastJob[];
  readonly jobIds: JobIds;
  /** Bytes of results that are in the order of the input already; undefined where that is still to be done. */
  readonly inOrder: number | undefined;
  /** Items that had ended ran again already: the results may hold two lines of one. */
  readonly ranAgain: boolean;
  /** What had to be mended, for people: one line each. */
  readonly mended: readonly string[];
  close(): Promise<void>;
}

export interface ResumeOptions {
  /** Jobs that failed or timed out are wanted, to be run again. */
  readonly wantFailed: boolean;
  /** Items that nobody can tell of are sent again. */
  readonly resubmitUnknown: boolean;
  /** Ends the reading of old results, before anything is changed. */
  readonly interrupt?: AbortSignal;
}

/**
 * Begins a batch. `prepare` gives its header, and is called when the lock is held: what it finds there stays as it is
 * until the batch has begun. Where it made a copy of the input, under its first name, `copied` says so. Whatever ends the
 * process on the way, beginning again works until the journal is there, and resuming from then on. Fails with local-file
 * (14) where there is a batch, or results that are not empty, and as `prepare` does; then no copy stays.
 */
export async function beginBatch(
  durable: DurableFiles,
  path: string,
  prepare: () => Promise<BatchHeader>,
  copied = false,
): Promise<OpenBatch> {
  const release = await durable.lock(lockPath(path), [journalPath(path), path]);
  try {
    const header = await prepare();
    await createResults(durable, path);
    // What may not be written to is known before there is a batch.
    const results = await openResults(durable, path, NO_RESULTS);
    const journal = await createJournal(durable, journalPath(path), header).catch(async (error: unknown) => {
      await results.close();
      throw error;
    });
    if (copied) await durable.replace(newCopyPath(path), copyPath(path));
    const ledger = createLedger(header.planned, header.planned + header.invalid);
    const jobIds = createJobIds(header.planned);
    const none = { jobs: [], failed: [], inOrder: undefined, ranAgain: false, mended: [] };
    return opened({ header, ledger, journal, results, jobIds, ...none }, release);
  } catch (error) {
    if (copied) await forgetCopy(durable, path).catch(() => undefined);
    await release();
    throw error;
  }
}

/**
 * Takes up a batch where it stands, whatever ended the process before. Fails with local-file (14): another process is at
 * work on it, its journal is broken or was shortened, its results were changed, or a file is missing; nothing is changed
 * then.
 */
export async function resumeBatch(durable: DurableFiles, path: string, options: ResumeOptions): Promise<OpenBatch> {
  await mustExist(durable, path);
  const release = await durable.lock(lockPath(path), [journalPath(path), path]);
  try {
    const past = await replay(durable, path, options.wantFailed);
    await finishOrdering(durable, path, past);
    const found = await readResults(durable, path, past, options.interrupt);
    mustBeKnown(path, past, found);
    const journal = await reopenJournal(durable, journalPath(path), past.end);
    const mended = past.end.torn > 0 ? [tornNote(path, past.end)] : [];
    const jobs = new Map(past.jobs);
    const good = await adopt(past, found, journal, jobs);
    if (found.size > good.resultBytes) mended.push(await cut(durable, path, good.resultBytes, found.size));
    mended.push(...(await settle(past.ledger, journal, options)));
    const results = await openResults(durable, path, good);
    const { header, ledger, jobIds, ranAgain } = past;
    const failed = [...past.failed.values()];
    const inOrder = past.inOrder ? past.resultBytes : undefined;
    const live = [...jobs.values()];
    return opened({ header, ledger, journal, results, jobs: live, failed, jobIds, inOrder, ranAgain, mended }, release);
  } catch (error) {
    await release();
    throw error;
  }
}

/** An empty file is nobody's results: somebody made the name, or a batch was killed before it had begun. */
async function createResults(durable: DurableFiles, path: string): Promise<void> {
  const size = await durable.size(path);
  if (size === undefined) await (await durable.create(path)).close();
  else if (size > 0) throw localFile(`${path} exists already`, 'Name another --out.');
}

/** Where there is a journal it is the batch's, which goes on with it. */
async function forgetCopy(durable: DurableFiles, path: string): Promise<void> {
  if ((await durable.size(journalPath(path))) === undefined) await durable.remove(newCopyPath(path));
}

/** Fails with local-file (14) where there is no batch of that name. */
export async function mustExist(durable: DurableFiles, path: string): Promise<void> {
  if ((await durable.size(journalPath(path))) === undefined)
    throw localFile(
      `there is no batch at ${path}: ${journalPath(path)} does not exist`,
      'Name the results file that the batch was begun with (--out). Nothing was sent for one that was killed before it had begun: run it again.',
    );
}

/**
 * What is left to do once every item has ended: the files of the batch are looked at once more, and the results put in the
 * order of the input, where that was asked for, or where items that had ended ran again, so that each has one line. Gives
 * how the batch ended then: trouble with a file (14) or an interrupt stops it like any other.
 */
export async function finishBatch(
  durable: DurableFiles,
  path: string,
  batch: OpenBatch,
  end: RunEnd,
  interrupt: AbortSignal,
): Promise<RunEnd> {
  if (end.stopped?.failure !== undefined) return end;
  try {
    await batch.journal.check();
    await batch.results.check();
    const { accounting } = end;
    if (accounting.waiting + accounting.inFlight > 0) return end;
    if (!needsOrder(batch, end)) {
      await mustBeAsWritten(durable, path, batch.results.extent(), interrupt);
      return end;
    }
    const note = (record: JournalRecord): Promise<void> => batch.journal.write(record);
    await orderResults(durable, path, batch.results.extent(), note, interrupt);
    return end;
  } catch (failure) {
    if (interrupt.aborted && failure === interrupt.reason)
      return { ...end, stopped: { reason: 'interrupt' }, unordered: needsOrder(batch, end) };
    return { ...end, stopped: { reason: 'trouble', failure } };
  }
}

function needsOrder({ header, ranAgain, inOrder, results }: OpenBatch, { revived }: RunEnd): boolean {
  const wanted = header.ordered || ranAgain || revived > 0;
  return wanted && inOrder !== results.extent().resultBytes;
}

/** The last look before a batch is called done. Fails with local-file (14), and with the interrupt. */
async function mustBeAsWritten(
  durable: DurableFiles,
  path: string,
  { resultBytes, checksum }: ResultsExtent,
  interrupt: AbortSignal,
): Promise<void> {
  if ((await checksumOf(durable, path, resultBytes, interrupt)) !== checksum)
    throw localFile(
      `the results file ${path} was changed by another program while the batch ran`,
      'Its journal says how the batch stands; which of the results are whole nobody can tell.',
    );
}

function opened(parts: Omit<OpenBatch, 'close'>, release: () => Promise<void>): OpenBatch {
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

/** The process ended between the journal's word that the results are in order and their taking the old ones' place. */
async function finishOrdering(durable: DurableFiles, path: string, past: Past): Promise<void> {
  await removeSorting(durable, path);
  const size = await durable.size(orderedPath(path));
  if (size === undefined) return;
  if (past.ordered && size === past.resultBytes) await durable.replace(orderedPath(path), path);
  else await durable.remove(orderedPath(path));
}

/**
 * A job is in the journal before its result is fetched. A result of a job that is not there says that the journal was
 * shortened, or belongs to other results: what it tells of the other items is not true either. Fails with local-file (14).
 */
function mustBeKnown(path: string, { jobs }: Past, { lines }: FoundResults): void {
  const seen = new Set<number>();
  for (const { item, job } of lines) {
    if (job === undefined) continue;
    if (seen.has(item) || jobs.get(item)?.job !== job)
      throw localFile(
        `the results file ${path} holds the result of job ${safeText(job).slice(0, 100)}, item ${String(item)}, and the journal does not know of it`,
        `The journal was shortened, or belongs to other results. Nothing was sent or changed: items that ran already would run again. Bring back the whole ${journalPath(path)}; or begin a new batch, with another --out, of the items that have no line in ${path}.`,
      );
    seen.add(item);
  }
}

/**
 * Takes down the results that are on the disk although the journal does not say so: they may be gone at the service by
 * now. Gives what the results file holds up to where it is good.
 */
async function adopt(
  { ledger }: Past,
  { known, lines }: FoundResults,
  journal: Journal,
  jobs: Map<number, PastJob>,
): Promise<ResultsExtent> {
  let good = known;
  for (const { item, job, ending, extent } of lines) {
    const event = job === undefined ? ({ kind: 'refuse' } as const) : endEvent(ending);
    if (job !== jobs.get(item)?.job || !ledger.apply(item, event)) return good;
    await journal.write({ kind: 'event', item, event, more: extent });
    jobs.delete(item);
    good = extent;
  }
  return good;
}

/** Cuts the results to what is known of them, and says where the rest is now: it may be somebody else's. */
async function cut(durable: DurableFiles, path: string, good: number, size: number): Promise<string> {
  const aside = await keepAside(durable, path, good);
  const file = await durable.open(path);
  await file.truncate(good);
  await file.close();
  return `the results file ended in ${String(size - good)} bytes that are no result of this batch, or not a whole one: kept in ${aside}`;
}

/** What was being sent when the process ended is unknown from now on. */
async function settle(ledger: Ledger, journal: Journal, { resubmitUnknown }: ResumeOptions): Promise<string[]> {
  const writes: Promise<void>[] = [];
  const all = (items: Iterable<number>, kind: 'lose' | 'resubmit'): number => {
    let count = 0;
    for (const item of [...items]) {
      ledger.apply(item, { kind });
      writes.push(journal.write({ kind: 'event', item, event: { kind }, more: {} }));
      count += 1;
    }
    return count;
  };
  const lost = all(ledger.items('sending'), 'lose');
  const again = resubmitUnknown ? all(ledger.items('unknown'), 'resubmit') : 0;
  await Promise.all(writes);
  return [
    ...(lost > 0 ? [`${String(lost)} submissions were under way when it ended: they are unknown now`] : []),
    ...(again > 0 ? [`${String(again)} unknown items are sent again: some may run twice`] : []),
  ];
}

const tornNote = (path: string, end: Past['end']): string =>
  `the journal ended in ${String(end.torn)} bytes of an unfinished record: kept in ${journalPath(path)}.torn-${String(end.good)}`;
