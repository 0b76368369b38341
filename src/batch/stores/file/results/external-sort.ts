import TinyQueue from 'tinyqueue';
import type { DurableFiles } from '../../../../core/context.ts';
import { firstBytes, lineGroups, type Line } from '../../../bytes/split-lines.ts';
import { itemOfLine } from '../../../model/result-line.ts';

/** A line of the results and the item it belongs to. */
export interface ResultLine {
  readonly item: number;
  readonly bytes: Uint8Array;
}

/** Consecutive lines of a sorted run. */
export interface SortedChunk {
  readonly bytes: Uint8Array;
  /** True when it is the last one of its run. */
  readonly endsRun: boolean;
}

/** Memory limits of a sort. */
interface SortLimits {
  /** Bytes of lines in memory while runs are formed, including the overhead of each line. */
  readonly heldBytes: number;
  /** Runs that are merged at a time, at least two: one chunk of the file is in memory for each. */
  readonly fanIn: number;
}

export const SORT_LIMITS: SortLimits = { heldBytes: 8 * 1024 * 1024, fanIn: 64 };
/** Estimated memory of a line in addition to its bytes. */
const LINE_OVERHEAD = 200;
/** Bytes of a chunk, unless one line is longer. */
const CHUNK_BYTES = 256 * 1024;
const LINE_FEED = Buffer.from('\n');

/**
 * Returns the lines of a results file grouped by the chunk they end in, without lines that are not results. Fails with
 * the signal's reason.
 */
export async function* resultLines(
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Iterable<ResultLine>> {
  for await (const lines of lineGroups(chunks, Number.MAX_SAFE_INTEGER)) {
    if (signal.aborted) throw signal.reason;
    yield parseLines(lines);
  }
}

function* parseLines(lines: Iterable<Line>): Generator<ResultLine> {
  for (const { bytes, complete } of lines) {
    const item = complete ? itemOfLine(bytes) : undefined;
    if (item !== undefined) yield { item, bytes };
  }
}

interface HeldLine extends ResultLine {
  readonly run: number;
  /** Position in the file: when an item has two lines, the later one is kept. */
  readonly order: number;
}

/**
 * Forms runs of lines sorted by item with replacement selection: lines that are out of order by less than `heldBytes`
 * become one run; lines in random order become runs of twice that size on average.
 */
export async function* sortIntoRuns(
  groups: AsyncIterable<Iterable<ResultLine>>,
  heldBytes: number,
): AsyncGenerator<SortedChunk> {
  const heap = new TinyQueue<HeldLine>([], (a, b) => a.run - b.run || a.item - b.item || a.order - b.order);
  const out = createCollector();
  let [held, order, run, last] = [0, 0, 0, 0];

  function* drain(limit: number): Generator<SortedChunk> {
    while (held > limit) {
      const line = heap.pop();
      if (line === undefined) return;
      held -= line.bytes.byteLength + LINE_OVERHEAD;
      if (line.run !== run) {
        yield* out.end();
        run = line.run;
      }
      last = line.item;
      yield* out.put(line);
    }
  }

  for await (const lines of groups)
    for (const { item, bytes } of lines) {
      const copy = Buffer.concat([bytes, LINE_FEED]);
      heap.push({ item, bytes: copy, run: item < last ? run + 1 : run, order: (order += 1) });
      held += copy.byteLength + LINE_OVERHEAD;
      if (held > heldBytes) yield* drain(heldBytes);
    }
  yield* drain(0);
  yield* out.end();
}

/** Merges the runs of a file, `fanIn` at a time. `ends` are the offsets at which they end. Fails as reading does. */
export async function* mergeRuns(
  durable: DurableFiles,
  path: string,
  ends: readonly number[],
  fanIn: number,
  signal: AbortSignal,
): AsyncGenerator<SortedChunk> {
  for (let first = 0; first < ends.length; first += fanIn) {
    const group = ends.slice(first, first + fanIn);
    const starts = [ends[first - 1] ?? 0, ...group.slice(0, -1)];
    const cursors = group.map((end, at) => createCursor(durable, path, starts[at] ?? 0, end, at, signal));
    try {
      yield* mergeOnce(cursors);
    } finally {
      for (const cursor of cursors) await cursor.close();
    }
  }
}

async function* mergeOnce(cursors: readonly Cursor[]): AsyncGenerator<SortedChunk> {
  const heap = new TinyQueue<Cursor>([], (a, b) => a.item - b.item || a.run - b.run);
  for (const cursor of cursors) if (await cursor.advance()) heap.push(cursor);
  const out = createCollector();
  for (let cursor = heap.pop(); cursor !== undefined; cursor = heap.pop()) {
    yield* out.put(cursor);
    const more = cursor.advance();
    if (more === true || (await more)) heap.push(cursor);
  }
  yield* out.end();
}

/** Reads one run line by line. */
interface Cursor extends ResultLine {
  readonly run: number;
  /** Moves to the next line; false at the end. Returns a promise only when it must read from the file. */
  advance(): true | Promise<boolean>;
  close(): Promise<void>;
}

function createCursor(
  durable: DurableFiles,
  path: string,
  start: number,
  end: number,
  run: number,
  signal: AbortSignal,
): Cursor {
  const groups = resultLines(firstBytes(durable.read(path, start), end - start), signal);
  let lines: Iterator<ResultLine, unknown> | undefined;
  let line: ResultLine = { item: 0, bytes: LINE_FEED };
  const step = (): boolean => {
    const next = lines?.next();
    if (next === undefined || next.done === true) return false;
    line = { item: next.value.item, bytes: Buffer.concat([next.value.bytes, LINE_FEED]) };
    return true;
  };
  const fetch = async (): Promise<boolean> => {
    for (;;) {
      const next: IteratorResult<Iterable<ResultLine>, unknown> = await groups.next();
      if (next.done === true) return false;
      lines = next.value[Symbol.iterator]();
      if (step()) return true;
    }
  };
  return {
    run,
    get item() {
      return line.item;
    },
    get bytes() {
      return line.bytes;
    },
    advance: () => (step() ? true : fetch()),
    close: async () => {
      await groups.return(undefined).catch(() => undefined);
    },
  };
}

/** Collects the lines of a run into chunks and keeps the last line of each item. */
function createCollector(): { put(line: ResultLine): Iterable<SortedChunk>; end(): Iterable<SortedChunk> } {
  let parts: Uint8Array[] = [];
  let length = 0;
  let pending: { readonly item: number; readonly bytes: Uint8Array } | undefined;
  const flush = (endsRun: boolean): SortedChunk[] => {
    const chunk = { bytes: Buffer.concat(parts, length), endsRun };
    [parts, length] = [[], 0];
    return [chunk];
  };
  const addPending = (): void => {
    if (pending === undefined) return;
    parts.push(pending.bytes);
    length += pending.bytes.byteLength;
  };
  return {
    put: ({ item, bytes }) => {
      if (pending !== undefined && pending.item !== item) addPending();
      pending = { item, bytes };
      return length >= CHUNK_BYTES ? flush(false) : NO_CHUNKS;
    },
    end: () => {
      addPending();
      pending = undefined;
      return length > 0 ? flush(true) : NO_CHUNKS;
    },
  };
}

const NO_CHUNKS: readonly SortedChunk[] = [];
