import type { DurableFiles } from '../../../../core/context.ts';
import { firstBytes, type Line, lineGroups } from '../../../bytes/split-lines.ts';
import { hasResult, type ItemStates } from '../../../model/item-states.ts';
import { itemOfLine } from '../../../model/result-line.ts';
import { localFile } from '../../../../core/failure.ts';
import { berth, sentence } from '../../../../core/message.ts';
import { orderedPath } from '../journal/file-names.ts';
import type { JournalState } from '../journal/replay.ts';
import { checksumOf } from './results-file.ts';

/** A line of the results file, without its line feed. Offsets are bytes. */
interface StoredResult {
  readonly item: number;
  readonly bytes: Uint8Array;
  readonly start: number;
}

/** Where the results of a batch are, and the items that they may belong to. */
export interface ResultsSource {
  readonly path: string;
  /** Length of the results that the journal records. */
  readonly resultBytes: number;
  readonly states: ItemStates;
  /** True when the file may have several lines for one item. */
  readonly hasRerunItems: boolean;
}

/**
 * Returns one result for each item that has ended: its last line when it has several. An item that was sent again and
 * has not ended has no result. Results are grouped by the chunk of the file, in the order of the file. Only eight bytes
 * per item are kept in memory, and only when some items ran again. Fails as reading does, and with the signal's reason.
 */
export async function* storedResults(
  durable: DurableFiles,
  source: ResultsSource,
  signal?: AbortSignal,
): AsyncGenerator<Iterable<StoredResult>> {
  const latest = source.hasRerunItems ? await latestLines(durable, source, signal) : undefined;
  function* current(lines: Iterable<Line>): Generator<StoredResult> {
    for (const line of resultLines(lines))
      if (hasResult(source.states.stateOf(line.item)) && (latest?.[line.item] ?? line.start) === line.start) yield line;
  }
  for await (const lines of linesOf(durable, source, signal)) yield current(lines);
}

/** Returns the offset of the last line of each item that has ended, and -1 for every other item. */
export async function resultOffsets(
  durable: DurableFiles,
  source: ResultsSource,
  signal?: AbortSignal,
): Promise<Float64Array> {
  const offsets = await latestLines(durable, source, signal);
  for (const [item] of offsets.entries()) if (!hasResult(source.states.stateOf(item))) offsets[item] = -1;
  return offsets;
}

async function latestLines(durable: DurableFiles, source: ResultsSource, signal?: AbortSignal): Promise<Float64Array> {
  const starts = new Float64Array(source.states.positions + 1).fill(-1);
  for await (const lines of linesOf(durable, source, signal))
    for (const { item, start } of resultLines(lines)) starts[item] = start;
  return starts;
}

async function* linesOf(
  durable: DurableFiles,
  { path, resultBytes }: ResultsSource,
  signal?: AbortSignal,
): AsyncGenerator<Iterable<Line>> {
  if (resultBytes === 0) return;
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

const BLOCK_BYTES = 256 * 1024;
/** Maximum number of blocks in memory: 16 MiB in total. */
const MAX_BLOCKS = 64;
const LINE_FEED = 0x0a;

/**
 * Reads lines of a file, each from any offset. Creates a reader that keeps the blocks that were used last, because
 * results are approximately in the order of the input.
 */
export function createBlockReader(durable: DurableFiles, path: string) {
  const blocks = new Map<number, Uint8Array>();
  const load = async (index: number): Promise<Uint8Array> => {
    const found = blocks.get(index) ?? (await readBlock(durable, path, index * BLOCK_BYTES));
    blocks.delete(index);
    blocks.set(index, found);
    const [oldest] = blocks.keys();
    if (blocks.size > MAX_BLOCKS && oldest !== undefined) blocks.delete(oldest);
    return found;
  };
  return {
    /** Returns the bytes from an offset up to the next line feed, or to the end of the file. Fails as reading does. */
    line: async (start: number): Promise<Uint8Array> => {
      const parts: Uint8Array[] = [];
      let index = Math.floor(start / BLOCK_BYTES);
      for (let from = start % BLOCK_BYTES; ; from = 0) {
        const block = blocks.get(index) ?? (await load(index));
        const feed = block.indexOf(LINE_FEED, from);
        parts.push(block.subarray(from, feed < 0 ? block.byteLength : feed));
        if (feed >= 0 || block.byteLength < BLOCK_BYTES) break;
        index += 1;
      }
      return parts.length === 1 ? (parts[0] ?? new Uint8Array(0)) : Buffer.concat(parts);
    },
  };
}

/** Returns a whole block, or the rest of the file when that is shorter. */
async function readBlock(durable: DurableFiles, path: string, start: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of durable.read(path, start)) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length >= BLOCK_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, BLOCK_BYTES);
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
export const resultsChanged = (path: string): Error =>
  localFile(
    `the results file ${path} is missing, shorter or different from what its journal records`,
    sentence`Restore it as it was. The counts alone are in the journal: ${berth`jobs batch status`}`,
  );
