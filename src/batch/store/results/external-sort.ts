import TinyQueue from 'tinyqueue';
import type { DurableFiles } from '../../../core/context.ts';
import { lineGroups, type Line } from '../../lines.ts';

/** A line of the results with its line feed, and the item it belongs to. */
export interface ResultLine {
  readonly item: number;
  readonly bytes: Uint8Array;
}

/** Some lines of a sorted run. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly endsRun: boolean;
}

/** What a sort may take of memory. */
export interface SortLimits {
  /** Of lines that are sorted, in bytes, with what each takes beside its own. */
  readonly heldBytes: number;
  /** Sorted runs that are merged at a time: of each a piece of the file is held. Two at least. */
  readonly fanIn: number;
}

export const SORT_LIMITS: SortLimits = { heldBytes: 8 * 1024 * 1024, fanIn: 64 };
const LINE_OVERHEAD = 200;
/** Lines are handed on in pieces of this many bytes, unless one line is longer. */
const PIECE_BYTES = 256 * 1024;
const LINE_FEED = Buffer.from('\n');

/** The lines of results by the pieces they lie in, those left out that are none. Fails with the interrupt. */
export async function* resultLines(
  pieces: AsyncIterable<Uint8Array>,
  interrupt: AbortSignal,
): AsyncGenerator<Iterable<ResultLine>> {
  for await (const lines of lineGroups(pieces, Number.MAX_SAFE_INTEGER)) {
    if (interrupt.aborted) throw interrupt.reason;
    yield readLines(lines);
  }
}

function* readLines(lines: Iterable<Line>): Generator<ResultLine> {
  for (const { bytes, whole } of lines) {
    const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(40, bytes.byteLength)).toString('latin1');
    const item = /^\{"item":(\d+)[,}]/.exec(head)?.[1];
    if (whole && item !== undefined) yield { item: Number(item), bytes };
  }
}

interface HeldLine extends ResultLine {
  readonly run: number;
  /** Of two lines of one item the later one counts. */
  readonly order: number;
}

/**
 * Lines as runs that are each in the order of items (replacement selection): lines that are out of place by less than is
 * held make one run, all others runs of twice what is held on average.
 */
export async function* sortedRuns(
  groups: AsyncIterable<Iterable<ResultLine>>,
  heldBytes: number,
): AsyncGenerator<Piece> {
  const heap = new TinyQueue<HeldLine>([], (a, b) => a.run - b.run || a.item - b.item || a.order - b.order);
  const out = createCollector();
  let [held, order, run, last] = [0, 0, 0, 0];

  function* drain(most: number): Generator<Piece> {
    while (held > most) {
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

/** The runs of a file, of which each ends at one of `ends`, merged by `most` at a time. Fails as reading does. */
export async function* merged(
  durable: DurableFiles,
  path: string,
  ends: readonly number[],
  most: number,
  interrupt: AbortSignal,
): AsyncGenerator<Piece> {
  for (let first = 0; first < ends.length; first += most) {
    const some = ends.slice(first, first + most);
    const starts = [ends[first - 1] ?? 0, ...some.slice(0, -1)];
    const cursors = some.map((end, at) => createCursor(durable, path, starts[at] ?? 0, end, at, interrupt));
    try {
      yield* mergedRun(cursors);
    } finally {
      for (const cursor of cursors) await cursor.close();
    }
  }
}

async function* mergedRun(cursors: readonly Cursor[]): AsyncGenerator<Piece> {
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

/** The next line of one run. */
interface Cursor extends ResultLine {
  readonly run: number;
  /** Goes on to the next line; false at the end. Waits only where it must read. */
  advance(): true | Promise<boolean>;
  close(): Promise<void>;
}

function createCursor(
  durable: DurableFiles,
  path: string,
  start: number,
  end: number,
  run: number,
  interrupt: AbortSignal,
): Cursor {
  async function* within(): AsyncGenerator<Uint8Array> {
    let left = end - start;
    for await (const piece of durable.read(path, start)) {
      const part = piece.subarray(0, left);
      left -= part.byteLength;
      yield part;
      if (left === 0) return;
    }
  }
  const groups = resultLines(within(), interrupt);
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

/** Collects the lines of a run, of each item the last one, and hands them on in pieces. */
function createCollector(): { put(line: ResultLine): Iterable<Piece>; end(): Iterable<Piece> } {
  let parts: Uint8Array[] = [];
  let length = 0;
  let pending: { readonly item: number; readonly bytes: Uint8Array } | undefined;
  const flush = (endsRun: boolean): Piece[] => {
    const piece = { bytes: Buffer.concat(parts, length), endsRun };
    [parts, length] = [[], 0];
    return [piece];
  };
  const settle = (): void => {
    if (pending === undefined) return;
    parts.push(pending.bytes);
    length += pending.bytes.byteLength;
  };
  return {
    put: ({ item, bytes }) => {
      if (pending !== undefined && pending.item !== item) settle();
      pending = { item, bytes };
      return length >= PIECE_BYTES ? flush(false) : NOTHING;
    },
    end: () => {
      settle();
      pending = undefined;
      return length > 0 ? flush(true) : NOTHING;
    },
  };
}

const NOTHING: readonly Piece[] = [];
