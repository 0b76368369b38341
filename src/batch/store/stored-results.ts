import { crc32 } from 'node:zlib';
import { firstBytes, type Line, lineGroups } from '../bytes/split-lines.ts';
import { writeSyncedFile } from '../bytes/synced-files.ts';
import type { ResultLine } from '../model/batch.ts';
import { batchStatusLine } from '../model/command-lines.ts';
import { hasResult, itemsLeft, type ItemStates } from '../model/item-states.ts';
import { itemOfLine } from '../model/result-line.ts';
import type { RunEnd } from '../model/run-end.ts';
import { orderedPath } from './file-names.ts';
import type { OpenBatch } from './open-batch.ts';
import type { JournalRecord } from './record.ts';
import type { JournalState } from './replay.ts';
import { checksumOf } from './results-file.ts';
import type { DurableFiles } from '../../core/context.ts';
import { type Failure, localFile } from '../../core/failure.ts';
import { sentence } from '../../core/message.ts';
import type { Bytes } from '../../core/unit-types.ts';

interface StoredResult extends ResultLine {
  readonly start: Bytes;
}

export interface WrittenResults {
  readonly path: string;
  readonly resultBytes: number;
  readonly states: Pick<ItemStates, 'stateOf' | 'positions'>;
}

export interface ResultsSource extends WrittenResults {
  readonly states: ItemStates;
  /** The file may have several lines for one item. */
  readonly hasRerunItems: boolean;
}

/** The last line of each ended item. Twelve bytes of memory per item, only when some ran again. */
export async function* storedResults(
  durable: DurableFiles,
  source: ResultsSource,
  signal?: AbortSignal,
): AsyncGenerator<Iterable<StoredResult>> {
  const latest = source.hasRerunItems ? (await latestLines(durable, source, signal)).starts : undefined;
  function* current(lines: Iterable<Line>): Generator<StoredResult> {
    for (const line of resultLines(lines))
      if (hasResult(source.states.stateOf(line.item)) && (latest?.[line.item] ?? line.start) === line.start) yield line;
  }
  for await (const lines of storedLines(durable, source, signal)) yield current(lines);
}

/** In memory while results are read in order, unless one line is longer. */
const GROUP_BYTES = 16 * 1024 * 1024;
/** Read over: to start again behind them takes longer. */
const GAP_BYTES = 128 * 1024;

interface Place {
  readonly item: number;
  readonly start: Bytes;
}

/** Finds all lines first (twelve bytes per item), then reads groups. Local-file (14) when it changes. */
export async function* resultsInOrder(
  durable: DurableFiles,
  source: WrittenResults,
  signal: AbortSignal,
): AsyncGenerator<readonly ResultLine[]> {
  const { starts, sizes } = await latestLines(durable, source, signal);
  let places: Place[] = [];
  let bytes = 0;
  for (const [item, start] of starts.entries()) {
    if (start >= 0 && hasResult(source.states.stateOf(item))) {
      places.push({ item, start });
      bytes += sizes[item] ?? 0;
    }
    if (bytes < GROUP_BYTES && item < source.states.positions) continue;
    if (signal.aborted) throw signal.reason;
    yield await linesAt(durable, source.path, places);
    [places, bytes] = [[], 0];
  }
}

async function linesAt(durable: DurableFiles, path: string, places: readonly Place[]): Promise<readonly ResultLine[]> {
  const inFile = places.toSorted((one, other) => one.start - other.start).values();
  const lines: ResultLine[] = [];
  for (let next = inFile.next().value; next !== undefined;) {
    const from = next.start;
    read: for await (const group of lineGroups(durable.read(path, from), Number.MAX_SAFE_INTEGER))
      for (const { start, bytes } of group) {
        if (next === undefined || next.start > from + start + GAP_BYTES) break read;
        if (from + start !== next.start) continue;
        if (itemOfLine(bytes) !== next.item) break read;
        lines.push({ item: next.item, bytes: Buffer.from(bytes) });
        next = inFile.next().value;
      }
    if (next?.start === from) throw localFile(`the results file ${path} was changed while it was read`);
  }
  return lines.sort((one, other) => one.item - other.item);
}

/** -1 for an item without any line. */
async function latestLines(durable: DurableFiles, source: WrittenResults, signal?: AbortSignal) {
  const starts = new Float64Array(source.states.positions + 1).fill(-1);
  const sizes = new Uint32Array(starts.length);
  for await (const lines of storedLines(durable, source, signal))
    for (const { item, start, bytes } of resultLines(lines)) {
      starts[item] = start;
      sizes[item] = bytes.byteLength;
    }
  return { starts, sizes };
}

async function* storedLines(
  durable: DurableFiles,
  { path, resultBytes }: WrittenResults,
  signal?: AbortSignal,
): AsyncGenerator<Iterable<Line>> {
  for await (const lines of lineGroups(firstBytes(durable.read(path, 0), resultBytes), Number.MAX_SAFE_INTEGER)) {
    if (signal?.aborted === true) throw signal.reason;
    yield lines;
  }
}

function* resultLines(lines: Iterable<Line>): Generator<StoredResult> {
  for (const { bytes, start, complete } of lines) {
    const item = complete ? itemOfLine(bytes) : undefined;
    if (item !== undefined) yield { item, bytes, start };
  }
}

/** Undefined when missing or different. A kill before the rename leaves the sorted ones beside it. */
export async function intactResults(
  durable: DurableFiles,
  path: string,
  { resultBytes, checksum, states, hasRerunItems, endsWithOrdered }: JournalState,
  signal?: AbortSignal,
): Promise<ResultsSource | undefined> {
  for (const candidate of [path, ...(endsWithOrdered ? [orderedPath(path)] : [])]) {
    const size = await durable.size(candidate);
    if (size === undefined || size < resultBytes) continue;
    if ((await checksumOf(durable, candidate, resultBytes, signal)) === checksum)
      return { path: candidate, resultBytes, states, hasRerunItems };
  }
  return undefined;
}

/** Exit 14. */
export const resultsChanged = (name: string): Failure =>
  localFile(
    `the results file ${name} is missing, shorter or different from what its journal records`,
    sentence`Restore it as it was. The counts alone are in the journal: ${batchStatusLine(name)}`,
  );

const LINE_FEED = Buffer.from('\n');

/** The sorted file and its journal record precede the rename: a crash leaves one complete file. */
export async function orderResults(
  durable: DurableFiles,
  results: WrittenResults,
  writeRecord: (record: JournalRecord) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let [bytes, checksum] = [0, 0];
  async function* sorted(): AsyncGenerator<Uint8Array> {
    for await (const lines of resultsInOrder(durable, results, signal)) {
      const chunk = Buffer.concat(lines.flatMap((line) => [line.bytes, LINE_FEED]));
      bytes += chunk.byteLength;
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
  }
  const ordered = orderedPath(results.path);
  await writeSyncedFile(durable, ordered, sorted());
  await writeRecord({ kind: 'ordered', bytes, checksum });
  await durable.replace(ordered, results.path);
}

/** Sorts an ordered or rerun batch when every item has ended. File errors (14) are in `stopped`. */
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
    if (itemsLeft(end.counts) > 0) return end;
    const { resultBytes, checksum } = batch.results.extent();
    if ((await checksumOf(durable, path, resultBytes, interrupt)) !== checksum) throw changedWhileItRan(path);
    const written = { path, resultBytes, states: batch.states };
    if (needsSort(batch, end)) await orderResults(durable, written, (record) => batch.journal.write(record), interrupt);
    return end;
  } catch (failure) {
    if (interrupt.aborted && failure === interrupt.reason)
      return { ...end, stopped: { reason: 'interrupt' }, unordered: needsSort(batch, end) };
    return { ...end, stopped: { reason: 'error', failure } };
  }
}

function needsSort({ header, hasRerunItems, sortedBytes, results }: OpenBatch, { rerunCount }: RunEnd): boolean {
  const wanted = header.ordered || hasRerunItems || rerunCount > 0;
  return wanted && sortedBytes !== results.extent().resultBytes;
}

const changedWhileItRan = (path: string): Failure =>
  localFile(
    `the results file ${path} was changed by another program while the batch ran`,
    'Its journal has the state of the batch; which results are intact is unknown.',
  );
