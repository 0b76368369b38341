import { collectBytes } from '../../core/files/byte-streams.ts';
import { WireError, type WireAnswer } from './transport.ts';
import type { Bytes } from '../../core/unit-types.ts';

/** A limit on stacked encodings; real servers use one. */
const MAX_ENCODINGS = 4;

/**
 * Yields the body of an answer with its `content-encoding` removed. Only a few chunks are in memory at a time. Without
 * an encoding the chunks are passed on. Fails with WireError (`answered`) for an unknown encoding, for too many
 * encodings, and for data that does not decode.
 */
export async function* decodeBody(body: WireAnswer['body'], encoding: string | undefined): AsyncGenerator<Uint8Array> {
  const chunks = Buffer.isBuffer(body) ? [body] : body;
  const encodings = encodingsIn(encoding);
  if (encodings.length === 0) {
    yield* chunks;
    return;
  }
  if (encodings.length > MAX_ENCODINGS) throw new WireError('answered', 'the answer is encoded too many times over');
  const [zlib, { Readable, pipeline }] = await Promise.all([import('node:zlib'), import('node:stream')]);
  const decoders = encodings.reverse().map((name) => {
    if (name === 'gzip' || name === 'x-gzip') return zlib.createGunzip();
    if (name === 'deflate') return zlib.createInflate();
    if (name === 'br') return zlib.createBrotliDecompress();
    throw new WireError('answered', 'the answer is encoded in a way that was not asked for');
  });
  const source = Buffer.isBuffer(body) && body.byteLength === 0 ? Readable.from([]) : Readable.from(chunks);
  const decoded = pipeline([source, ...decoders], () => undefined) as unknown as AsyncIterable<Uint8Array>;
  try {
    yield* decoded;
  } catch (error) {
    if (error instanceof WireError) throw error;
    throw new WireError('answered', 'the compressed answer is damaged or breaks off', error);
  }
}

/**
 * Reads and decodes a whole body. Returns undefined as soon as it is larger than `maxBytes`, and reads no further.
 * Fails with WireError when the body breaks off or does not decode.
 */
export async function readBody(
  body: WireAnswer['body'],
  encoding: string | undefined,
  maxBytes: Bytes,
): Promise<Buffer | undefined> {
  if (Buffer.isBuffer(body)) {
    if (body.byteLength > maxBytes) return undefined;
    if (encoding === undefined) return body;
  }
  return collectBytes(decodeBody(body, encoding), maxBytes);
}

const encodingsIn = (encoding: string | undefined): string[] =>
  (encoding ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
