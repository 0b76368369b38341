import type { Bytes } from '../../core/unit-types.ts';

/** A line of a file, without its line feed. Offsets count from where reading began. */
export interface Line {
  readonly bytes: Uint8Array;
  readonly start: Bytes;
  /** The offset after its line feed. */
  readonly end: Bytes;
  /** False when the file ends without a line feed after it. */
  readonly complete: boolean;
  /** True when the line is longer than the limit; in that case `bytes` is empty. */
  readonly tooLong: boolean;
}

/** Returns the first bytes of a file's chunks: bytes that another process appends during the reading are left out. */
export async function* firstBytes(chunks: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  let left = bytes;
  if (left === 0) return;
  for await (const chunk of chunks) {
    const part = chunk.subarray(0, left);
    left -= part.byteLength;
    yield part;
    if (left === 0) return;
  }
}

const LINE_FEED = 0x0a;
const NO_BYTES = new Uint8Array(0);

/**
 * Splits chunks of a file into lines and keeps one line in memory. For a line longer than `maxBytes`, `bytes` is empty.
 * The bytes of a line share memory with the chunk: copy what must be kept.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, maxBytes: Bytes): AsyncGenerator<Line> {
  for await (const lines of lineGroups(chunks, maxBytes)) yield* lines;
}

/**
 * Returns the lines grouped by the chunk they end in, because one `await` per line would take longer than the line. A
 * group is split while it is iterated: iterate each one to its end before the next.
 */
export async function* lineGroups(chunks: AsyncIterable<Uint8Array>, maxBytes: Bytes): AsyncGenerator<Iterable<Line>> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let tooLong = false;
  let start = 0;
  let offset = 0;

  const join = (last: Uint8Array): Uint8Array => {
    if (tooLong) return NO_BYTES;
    return held.length === 0 ? last : Buffer.concat([...held, last]);
  };
  const hold = (chunk: Uint8Array): void => {
    heldBytes += chunk.byteLength;
    tooLong ||= heldBytes > maxBytes;
    held = tooLong ? [] : [...held, chunk];
  };

  function* split(chunk: Uint8Array): Generator<Line> {
    for (let at = 0; at < chunk.byteLength;) {
      const feed = chunk.indexOf(LINE_FEED, at);
      if (feed < 0) {
        hold(chunk.subarray(at));
        break;
      }
      tooLong ||= heldBytes + feed - at > maxBytes;
      const end = offset + feed + 1;
      yield { bytes: join(chunk.subarray(at, feed)), start, end, complete: true, tooLong };
      if (heldBytes > 0) [held, heldBytes] = [[], 0];
      [tooLong, start] = [false, end];
      at = feed + 1;
    }
    offset += chunk.byteLength;
  }

  for await (const chunk of chunks) yield split(chunk);
  if (heldBytes > 0) yield [{ bytes: join(NO_BYTES), start, end: offset, complete: false, tooLong }];
}
