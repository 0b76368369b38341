import { crc32 } from 'node:zlib';
import { firstBytes, type Line, lineGroups, linesOf } from '../bytes/split-lines.ts';
import { createGroupWriter, writeSyncedFile } from '../bytes/synced-files.ts';
import { batchStatusLine, type ResultLine } from '../model/batch.ts';
import { type Ending, hasResult, type ItemStates } from '../model/item-states.ts';
import { endingOf, itemOfLine } from '../model/result-line.ts';
import { orderedPath } from './paths.ts';
import type { JournalRecord } from './record.ts';
import type { JournalState } from './replay.ts';
import type { DurableFiles } from '../../core/context.ts';
import { type Failure, localFile } from '../../core/failure.ts';
import { numberAt, stringAt, tryDecodeJson } from '../../core/json.ts';
import { sentence } from '../../core/message.ts';
import type { Bytes } from '../../core/unit-types.ts';

/** Bytes from the start, and their CRC-32. */
export type ResultsExtent = Pick<JournalState, 'resultBytes' | 'checksum'>;

export async function openResults(durable: DurableFiles, path: string, content: ResultsExtent) {
  const writer = createGroupWriter(await durable.open(path));
  let extent = content;
  return {
    /** Resolves when the line is on disk. Fails with local-file (14). */
    append: async (line: string): Promise<ResultsExtent> => {
      extent = {
        resultBytes: extent.resultBytes + Buffer.byteLength(line),
        checksum: crc32(line, extent.checksum),
      };
      const upToHere = extent;
      await writer.append(line);
      return upToHere;
    },
    extent: (): ResultsExtent => extent,
    /** Fails with local-file (14) when another process changed the file. Call it only when the file is idle. */
    check: () => writer.check(),
    idle: () => writer.idle(),
    close: async (): Promise<void> => {
      await writer.idle();
      await writer.close();
    },
  };
}

export type Results = Awaited<ReturnType<typeof openResults>>;

/** The process ended after writing the result and before the journal record. */
interface UnrecordedResult {
  readonly item: number;
  readonly job: string | undefined;
  readonly ending: Ending;
  readonly extent: ResultsExtent;
}

export interface ResultsContent {
  readonly recorded: ResultsExtent;
  /** Complete results after those, up to the first line that is not one. */
  readonly unrecorded: readonly UnrecordedResult[];
  readonly size: number;
}

/** Fails with local-file (14) when it is shorter than, or differs from, what the journal records. */
export async function readResults(
  durable: DurableFiles,
  path: string,
  { resultBytes, checksum }: ResultsExtent,
  signal?: AbortSignal,
): Promise<ResultsContent> {
  const size = await durable.size(path);
  if (size === undefined || size < resultBytes)
    throw localFile(
      `the results file ${path} ${size === undefined ? 'is missing' : `has ${size} bytes`}, and its journal records ${resultBytes}`,
      RESTORE,
    );
  const actual = await checksumOf(durable, path, resultBytes, signal);
  if (actual !== checksum)
    throw localFile(
      `the results file ${path} was changed since it was written: its first ${resultBytes} bytes are not those that the journal records`,
      `Nothing was sent or changed. ${RESTORE}`,
    );
  const unrecorded: UnrecordedResult[] = [];
  let sum = actual;
  for await (const line of linesOf(durable.read(path, resultBytes), Number.MAX_SAFE_INTEGER)) {
    const value = line.complete ? tryDecodeJson(Buffer.from(line.bytes).toString('utf8')) : undefined;
    const item = numberAt(value, 'item');
    const ending = value === undefined ? undefined : endingOf(value);
    if (item === undefined || ending === undefined) break;
    sum = crc32('\n', crc32(line.bytes, sum));
    const extent = { resultBytes: resultBytes + line.end, checksum: sum };
    unrecorded.push({ item, job: stringAt(value, 'job'), ending, extent });
  }
  return { recorded: { resultBytes, checksum: actual }, unrecorded, size };
}

const RESTORE = 'Restore it as it was, or begin a new batch with another --out.';

/** Fails as reading does, and with the signal's reason. */
export async function checksumOf(
  durable: DurableFiles,
  path: string,
  bytes: Bytes,
  signal?: AbortSignal,
): Promise<number> {
  let sum = 0;
  for await (const chunk of firstBytes(durable.read(path, 0), bytes)) {
    if (signal?.aborted === true) throw signal.reason;
    sum = crc32(chunk, sum);
  }
  return sum;
}

interface StoredResult extends ResultLine {
  readonly start: Bytes;
}

export interface WrittenResults {
  readonly path: string;
  readonly resultBytes: number;
  readonly states: Pick<ItemStates, 'stateOf' | 'positions'>;
}

interface ResultsSource extends WrittenResults {
  /** The file may have several lines for one item. */
  readonly hasRerunItems: boolean;
}

/** The last line of each ended item. Twelve bytes of memory per item, only when some were sent again. */
export async function* storedResults(
  durable: DurableFiles,
  source: ResultsSource,
  signal: AbortSignal,
): AsyncGenerator<Iterable<ResultLine>> {
  const latest = source.hasRerunItems ? (await latestLines(durable, source, signal)).starts : undefined;
  function* current(lines: Iterable<Line>): Generator<ResultLine> {
    for (const line of resultLines(lines))
      if (hasResult(source.states.stateOf(line.item)) && (latest?.[line.item] ?? line.start) === line.start) yield line;
  }
  for await (const lines of storedLines(durable, source, signal)) yield current(lines);
}

/** In memory while results are read in order, unless one line is longer. */
const GROUP_BYTES = 16 * 1024 * 1024;
/** Read over: to start again behind them takes longer. */
const GAP_BYTES = 128 * 1024;

type Place = Pick<StoredResult, 'item' | 'start'>;

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
async function latestLines(durable: DurableFiles, source: WrittenResults, signal: AbortSignal) {
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
  signal: AbortSignal,
): AsyncGenerator<Iterable<Line>> {
  for await (const lines of lineGroups(firstBytes(durable.read(path, 0), resultBytes), Number.MAX_SAFE_INTEGER)) {
    if (signal.aborted) throw signal.reason;
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
  signal: AbortSignal,
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
