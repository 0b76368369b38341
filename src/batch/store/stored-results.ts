import type { DurableFiles } from '../../core/context.ts';
import { firstBytes, type Line, lineGroups } from '../bytes/split-lines.ts';
import { batchStatusLine } from '../model/command-lines.ts';
import { hasResult, type ItemStates } from '../model/item-states.ts';
import { itemOfLine } from '../model/result-line.ts';
import type { ResultLine } from '../model/batch.ts';
import { type Failure, localFile } from '../../core/failure.ts';
import { sentence } from '../../core/message.ts';
import { orderedPath } from './file-names.ts';
import type { JournalState } from './replay.ts';
import { checksumOf } from './results-file.ts';
import { crc32 } from 'node:zlib';
import { writeSyncedFile } from '../bytes/synced-files.ts';
import type { JournalRecord } from './record.ts';
import type { Bytes } from '../../core/unit-types.ts';

interface StoredResult extends ResultLine {
  /** Where the line begins in the file. */
  readonly start: Bytes;
}

/** Where the results of a batch are, and the items that they may belong to. */
export interface WrittenResults {
  readonly path: string;
  /** Length of the results that the journal records. */
  readonly resultBytes: number;
  readonly states: Pick<ItemStates, 'stateOf' | 'positions'>;
}

export interface ResultsSource extends WrittenResults {
  readonly states: ItemStates;
  /** True when the file may have several lines for one item. */
  readonly hasRerunItems: boolean;
}

/**
 * Returns one result for each item that has ended: its last line when it has several. An item that was sent again and
 * has not ended has no result. Results are grouped by the chunk of the file, in the order of the file. Only twelve bytes
 * per item are kept in memory, and only when some items ran again. Fails as reading does, and with the signal's reason.
 */
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

/** Bytes of lines that are in memory while results are read in order, unless one line is longer. */
const GROUP_BYTES = 16 * 1024 * 1024;
/** Bytes between two lines that are read over: to begin again behind them takes longer. */
const GAP_BYTES = 128 * 1024;

/** The last line of an item. */
interface Place {
  readonly item: number;
  readonly start: Bytes;
}

/**
 * Returns the last line of each item that has ended, in groups in the order of the items. Reads the file once for the place of
 * each line, twelve bytes of memory per item, and then a group of lines at a time, in the order in which they are in the file:
 * results are nearly in order, so that this reads it once more. Fails with local-file (14) when the file is changed meanwhile,
 * as reading does, and with the signal's reason.
 */
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

/** Returns where the last line of each item begins, -1 for an item without any, and the bytes of these lines. */
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

/**
 * Returns where the results are that the journal of a batch records; undefined when the file is missing or contains
 * other results. When a process was killed after sorting the results and before the rename, the sorted ones are in
 * another file in the same directory. Fails as reading does, and with the signal's reason.
 */
export async function intactResults(
  durable: DurableFiles,
  path: string,
  { resultBytes, checksum, states, hasRerunItems, endsWithOrdered }: JournalState,
  signal?: AbortSignal,
): Promise<ResultsSource | undefined> {
  for (const candidate of [path, ...(endsWithOrdered ? [orderedPath(path)] : [])]) {
    const size = await durable.size(candidate);
    if (size === undefined || size < resultBytes) continue;
    // Journals of an earlier version have no CRC-32.
    const isIntact = checksum === undefined || (await checksumOf(durable, candidate, resultBytes, signal)) === checksum;
    if (isIntact) return { path: candidate, resultBytes, states, hasRerunItems };
  }
  return undefined;
}

/** The results are not what the batch wrote: exit 14. */
export const resultsChanged = (name: string): Failure =>
  localFile(
    `the results file ${name} is missing, shorter or different from what its journal records`,
    sentence`Restore it as it was. The counts alone are in the journal: ${batchStatusLine(name)}`,
  );

const LINE_FEED = Buffer.from('\n');

/**
 * Sorts the results file by item; when an item has several lines, the last one is kept, and lines of items that were sent
 * again without an end are left out. Needs as much disk space as the results; memory as `resultsInOrder` does, which is fast
 * because results are nearly in order, or in a few parts that are. The sorted file is complete and the journal has its length
 * before it replaces the results file, so that a crash leaves one complete file. Fails with local-file (14), and with the
 * signal's reason; the results file is not changed then.
 */
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
