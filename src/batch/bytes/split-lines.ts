import { pipeline, Readable } from 'node:stream';
import { localFile } from '../../core/failure.ts';
import type { Bytes } from '../../core/unit-types.ts';

/** Without its line feed. Offsets count from where reading began. */
export interface Line {
  readonly bytes: Uint8Array;
  readonly start: Bytes;
  /** The offset after its line feed. */
  readonly end: Bytes;
  /** False when the file ends without a line feed after it. */
  readonly complete: boolean;
  /** `bytes` is then empty. */
  readonly tooLong: boolean;
}

/** Bytes that another process appends during the reading are left out. */
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

/** The bytes of a line share memory with the chunk: copy what must be kept. Empty above `maxBytes`. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, maxBytes: Bytes): AsyncGenerator<Line> {
  for await (const lines of lineGroups(chunks, maxBytes)) yield* lines;
}

/** By chunk: one `await` per line is slow. Iterate each group to its end before the next. */
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

type Chunks = AsyncIterable<Uint8Array>;

export const isGzip = (name: string): boolean => name.toLowerCase().endsWith('.gz');

/** Fails with local-file (14), with `name`, for corrupt or truncated content. */
export async function* gunzip(chunks: Chunks, name: string): AsyncGenerator<Uint8Array> {
  const { createGunzip } = await import('node:zlib');
  const decompressed = createGunzip();
  // When reading the chunks fails, the decompression stops and throws that error.
  pipeline(Readable.from(chunks), decompressed, () => undefined);
  try {
    for await (const chunk of decompressed) yield chunk as Uint8Array;
  } catch (error) {
    throw isOfZlib(error)
      ? localFile(`cannot decompress ${name}: corrupt or truncated`, 'Make the file again.', error)
      : error;
  }
}

/** The codes of the errors of zlib begin with Z_ (Z_DATA_ERROR), and no others do. */
const isOfZlib = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
