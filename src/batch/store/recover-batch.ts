import type { DurableFiles } from '../../core/context.ts';
import { localFile } from '../../core/failure.ts';
import { safeText } from '../../core/safe-text.ts';
import { journalPath, lockPath, orderedPath, ownedFiles, tornPath } from './file-names.ts';
import { type ItemStates, hasResult } from '../model/item-states.ts';
import { type BatchHeader, isSameBatch } from './record.ts';
import { type Journal, type JournalEnd, reopenJournal } from './journal.ts';
import { mustExist } from './results-path.ts';
import { type JournalState, replayJournal } from './replay.ts';
import { withClose, type OpenBatch } from './open-batch.ts';
import { openResults, readResults, type ResultsContent, type ResultsExtent } from './results-file.ts';
import { saveTail } from '../bytes/synced-files.ts';
import type { KnownJob } from '../model/run-end.ts';
import type { BatchSettings, Resubmit } from '../model/batch.ts';
import { decodeJson } from '../../core/json.ts';
import { errorMatcher } from '../model/result-line.ts';
import { type ResultsSource, storedResults } from './stored-results.ts';

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
export async function recoverBatch(durable: DurableFiles, path: string, options: RecoverOptions): Promise<OpenBatch> {
  await mustExist(durable, path);
  const release = await durable.lock(lockPath(path), ownedFiles(path));
  try {
    const given = options.settings ?? {};
    const state = await replayJournal(durable, path, {
      wantFailed: (kept) => (given.retryFailed ?? kept.retryFailed ?? 0) > 0,
    });
    if (options.header !== undefined && !isSameBatch(options.header, state.header))
      throw localFile(
        `another batch took the place of the one at ${path}`,
        'The one that you meant was removed. Nothing was sent or changed.',
      );
    await finishInterruptedSort(durable, path, state);
    const content = await readResults(durable, path, state, options.signal);
    const jobs = new Map(state.jobs.map((job) => [job.item, job]));
    checkUnrecorded(path, jobs, content);
    const journal = await reopenJournal(durable, journalPath(path), state.end);
    const repairs = state.end.tornBytes > 0 ? [describeTorn(path, state.end)] : [];
    const valid = await recordResults(state, content, journal, jobs);
    if (content.size > valid.resultBytes)
      repairs.push(await truncateResults(durable, path, valid.resultBytes, content.size));
    repairs.push(...(await loseSending(state.states, journal)));
    const source = { ...state, path, resultBytes: valid.resultBytes };
    const resubmitted = await resubmitItems(durable, source, journal, options);
    repairs.push(...resubmitted.notes);
    if (Object.keys(given).length > 0) await journal.write({ kind: 'settings', settings: given });
    const results = await openResults(durable, path, valid);
    const { states } = state;
    return withClose(
      {
        ...state,
        settings: { ...state.settings, ...given },
        journal,
        results,
        jobs: [...jobs.values()],
        failed: state.failed.filter(({ item }) => states.stateOf(item) !== 'waiting'),
        sortedBytes: state.inOrder && !resubmitted.hadResults ? state.resultBytes : undefined,
        hasRerunItems: state.hasRerunItems || resubmitted.hadResults,
        resubmitted: state.resubmitted + resubmitted.count,
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

/** Submissions without a recorded answer become unknown. */
async function loseSending(states: ItemStates, journal: Journal): Promise<readonly string[]> {
  const lost = await applyToAll(states, journal, [...states.items('sending')], 'lose');
  if (lost === 0) return [];
  const what = lost === 1 ? '1 submission was' : `${lost} submissions were`;
  return [`${what} in progress when it ended: ${lost === 1 ? 'it is' : 'they are'} unknown now`];
}

const describeTorn = (path: string, { tornBytes, validBytes }: JournalEnd): string =>
  `the journal ended in ${tornBytes} bytes of an incomplete record: kept in ${tornPath(journalPath(path), validBytes)}`;

/** Fails before any write. */
async function resubmitItems(
  durable: DurableFiles,
  source: ResultsSource,
  journal: Journal,
  { resubmit, signal }: Pick<RecoverOptions, 'resubmit' | 'signal'>,
) {
  if (resubmit === undefined) return { count: 0, hadResults: false, notes: [] };
  const { states } = source;
  const { onlyError } = resubmit;
  const matching = onlyError === undefined ? undefined : await itemsWithError(durable, source, onlyError, signal);
  const items = resubmit.states
    .flatMap((state) => [...states.items(state)])
    .filter((item) => matching === undefined || matching[item] === 1)
    .sort((a, b) => a - b);
  const hadResults = items.some((item) => hasResult(states.stateOf(item)));
  const mayHaveRun = items.some((item) => ['unknown', 'expired'].includes(states.stateOf(item)));
  const count = await applyToAll(states, journal, items, 'resubmit');
  const which = onlyError === undefined ? '' : ' with this error';
  const sent = count === 1 ? `1 item${which} is` : `${count} items${which} are`;
  const note = `${sent} sent again${mayHaveRun ? ': some may run twice' : ''}`;
  return { count, hadResults, notes: [count === 0 ? `no item to send again${which}` : note] };
}

/** Resolves when all records are on disk. */
async function applyToAll(
  states: ItemStates,
  journal: Journal,
  items: readonly number[],
  kind: 'lose' | 'resubmit',
): Promise<number> {
  let written: Promise<void> | undefined;
  for (const item of items) {
    states.apply(item, { kind });
    // They are synced in order, so waiting for the last one is enough.
    written = journal.write({ kind: 'event', item, event: { kind }, data: {} });
  }
  await written;
  return items.length;
}

/** 1 for each item with such an error. */
async function itemsWithError(
  durable: DurableFiles,
  source: ResultsSource,
  text: string,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const matches = errorMatcher(text);
  const found = new Uint8Array(source.states.positions + 1);
  for await (const results of storedResults(durable, source, signal))
    for (const { item, bytes } of results) {
      if (source.states.stateOf(item) === 'completed') continue;
      if (matches(decodeJson(Buffer.from(bytes).toString('utf8')))) found[item] = 1;
    }
  return found;
}
