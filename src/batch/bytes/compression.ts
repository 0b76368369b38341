import { pipeline, Readable } from 'node:stream';
import { blocksOf } from '../../core/files/byte-streams.ts';
import { type Failure, localFile } from '../../core/failure.ts';
import { formatBytes } from '../../core/units.ts';

type Chunks = AsyncIterable<Uint8Array>;

const CODECS = {
  gzip: { extension: '.gz', compress: gzip, decompress: gunzip },
  zstd: { extension: '.zst', compress: zstd, decompress: unzstd },
};
export type Compression = keyof typeof CODECS;
export const COMPRESSIONS = Object.keys(CODECS) as readonly Compression[];

export const extensionOf = (kind: Compression): string => CODECS[kind].extension;

/** Returns how the file of this name is compressed; undefined when it is not. */
export const compressionOf = (name: string): Compression | undefined =>
  COMPRESSIONS.find((kind) => name.toLowerCase().endsWith(extensionOf(kind)));

/** Compresses chunks. The same chunks in the same sizes become the same bytes. */
export const compress = (chunks: Chunks, kind: Compression): Chunks => CODECS[kind].compress(chunks);

/**
 * Decompresses chunks. Memory does not depend on their number, whatever they contain. Fails with local-file (14) when they
 * are damaged, break off or need too much memory; `name` is for the message. Fails as reading the chunks does.
 */
export const decompress = (chunks: Chunks, kind: Compression, name: string): AsyncGenerator<Uint8Array> =>
  CODECS[kind].decompress(chunks, name);

async function* gzip(chunks: Chunks): AsyncGenerator<Uint8Array> {
  const { createGzip } = await import('node:zlib');
  const compressed = createGzip();
  pipeline(Readable.from(chunks), compressed, () => undefined);
  for await (const chunk of compressed) yield chunk as Uint8Array;
}

async function* gunzip(chunks: Chunks, name: string): AsyncGenerator<Uint8Array> {
  const { createGunzip } = await import('node:zlib');
  const decompressed = createGunzip();
  // When reading the chunks fails, the decompression stops and throws that error.
  pipeline(Readable.from(chunks), decompressed, () => undefined);
  try {
    for await (const chunk of decompressed) yield chunk as Uint8Array;
  } catch (error) {
    throw isOfZlib(error) ? damaged(name, error) : error;
  }
}

/** The codes of the errors of zlib begin with Z_ (Z_DATA_ERROR), and no others do. */
const isOfZlib = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');

/** Bytes of a zstd frame before compression: frames can follow each other, and one is in memory. */
const FRAME_BYTES = 1024 * 1024;

async function* zstd(chunks: Chunks): AsyncGenerator<Uint8Array> {
  const { Zstd } = await import('@hpcc-js/wasm-zstd');
  const library = await Zstd.load();
  let isEmpty = true;
  for await (const block of blocksOf(chunks, FRAME_BYTES)) {
    isEmpty = false;
    yield library.compress(block);
  }
  if (isEmpty) yield library.compress(new Uint8Array(0));
}

/** The largest window of a zstd frame, which is memory: the limit of the usual tools, too. */
export const MAX_WINDOW_BYTES = 128 * 1024 * 1024;

/** Bytes that are given to the decompressor at a time: they can stand for up to 128 MiB. */
const FEED_BYTES = 4096;

async function* unzstd(chunks: Chunks, name: string): AsyncGenerator<Uint8Array> {
  const { Decompress } = await import('fzstd');
  let ready: Uint8Array[] = [];
  const decompressor = new Decompress((chunk) => {
    if (chunk.byteLength > 0) ready.push(chunk);
  });
  const feed = (bytes: Uint8Array, isLast: boolean): readonly Uint8Array[] => {
    try {
      decompressor.push(bytes, isLast);
    } catch (error) {
      throw damaged(name, error);
    }
    const result = ready;
    ready = [];
    return result;
  };
  const checkWindows = createWindowCheck(({ bytes }) => {
    if (bytes > MAX_WINDOW_BYTES) throw tooMuchMemory(name, bytes);
  });
  for await (const chunk of chunks) {
    checkWindows(chunk);
    for (let at = 0; at < chunk.byteLength; at += FEED_BYTES) yield* feed(chunk.subarray(at, at + FEED_BYTES), false);
  }
  yield* feed(new Uint8Array(0), true);
}

const tooMuchMemory = (name: string, bytes: number): Failure =>
  localFile(
    `cannot decompress ${name}: that needs ${formatBytes(bytes)} of memory, and at most ${formatBytes(MAX_WINDOW_BYTES)} are used`,
    'Compress it again with a smaller window (zstd without --long).',
  );

const damaged = (name: string, error: unknown): Failure =>
  localFile(`cannot decompress ${name}: it is damaged or breaks off`, 'Make the file again.', error);

/** What the header of a Zstandard frame says about the memory that the frame needs. */
interface FrameWindow {
  /** Bytes that a decoder keeps; for a single segment the size of the whole content. */
  readonly bytes: number;
  readonly isSingleSegment: boolean;
}

/** What is read next: `bytes` bytes after `skip` others. */
interface Wanted {
  readonly skip: number;
  readonly bytes: number;
}

const MAGIC = 0xfd2fb528;
/** The last four bits differ. */
const SKIPPABLE_MAGIC = 0x184d2a50;
const RLE = 1;
const RESERVED = 3;

/**
 * Returns a function that takes Zstandard data in chunks of any size and calls `onFrame` with each frame of it before that
 * frame is decoded: a decoder allocates the window that a header asks for. Decodes nothing. Damaged data is left to the
 * decoder.
 */
export function createWindowCheck(onFrame: (window: FrameWindow) => void): (chunk: Uint8Array) => void {
  const frames = readFrames(onFrame);
  let wanted = frames.next().value;
  let skip = 0;
  let held = Buffer.alloc(0);
  return (chunk) => {
    let at = 0;
    while (wanted !== undefined) {
      const skipped = Math.min(skip, chunk.byteLength - at);
      skip -= skipped;
      at += skipped;
      const missing = wanted.bytes - held.byteLength;
      if (skip > 0 || (at === chunk.byteLength && missing > 0)) return;
      held = Buffer.concat([held, chunk.subarray(at, at + missing)]);
      at = Math.min(chunk.byteLength, at + missing);
      if (held.byteLength < wanted.bytes) return;
      const found = held;
      held = Buffer.alloc(0);
      wanted = frames.next(found).value;
      skip = wanted?.skip ?? 0;
    }
  };
}

/** Reads the headers of frames and of their blocks (RFC 8878, section 3.1.1): each `yield` returns the bytes that it asks for. */
function* readFrames(onFrame: (window: FrameWindow) => void): Generator<Wanted, undefined, Buffer> {
  let skip = 0;
  for (;;) {
    const magic = (yield { skip, bytes: 4 }).readUInt32LE(0);
    if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC) {
      skip = (yield { skip: 0, bytes: 4 }).readUInt32LE(0);
      continue;
    }
    if (magic !== MAGIC) return;
    const [flags = 0] = yield { skip: 0, bytes: 1 };
    const isSingleSegment = (flags & 0x20) !== 0;
    const dictionary = ([0, 1, 2, 4] as const)[flags & 3] ?? 0;
    const content = flags >> 6 === 0 ? Number(isSingleSegment) : 2 ** (flags >> 6);
    const before = isSingleSegment ? 0 : 1;
    const header = yield { skip: 0, bytes: before + dictionary + content };
    const bytes = isSingleSegment ? contentSize(header.subarray(dictionary)) : windowSize(header[0] ?? 0);
    onFrame({ bytes, isSingleSegment });
    skip = 0;
    for (let isLast = false; !isLast;) {
      const block = (yield { skip, bytes: 3 }).readUIntLE(0, 3);
      const type = (block >> 1) & 3;
      if (type === RESERVED) return;
      skip = type === RLE ? 1 : block >> 3;
      isLast = (block & 1) === 1;
    }
    const hasChecksum = (flags & 4) !== 0;
    if (hasChecksum) skip += 4;
  }
}

function windowSize(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

/** A size in two bytes is stored without its first 256. */
const contentSize = (field: Uint8Array): number =>
  field.reduceRight((value, byte) => value * 256 + byte, 0) + (field.byteLength === 2 ? 256 : 0);
