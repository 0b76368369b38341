import { WireError } from './transport.ts';

/** More encodings than any honest server stacks. */
const MOST_ENCODINGS = 4;

/**
 * The body of an answer as it was before `content-encoding` was applied, in pieces, never more of it in memory than a
 * few. Gives what came when there is no encoding. Fails with WireError (`answered`) for an encoding that is not known,
 * too many of them, and bytes that do not decode.
 */
export async function* decodeBody(
  body: AsyncIterable<Uint8Array>,
  encoding: string | undefined,
): AsyncGenerator<Uint8Array> {
  const encodings = (encoding ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  if (encodings.length === 0) {
    yield* body;
    return;
  }
  if (encodings.length > MOST_ENCODINGS) throw new WireError('answered', 'the answer is encoded too many times over');
  const [zlib, { Readable, pipeline }] = await Promise.all([import('node:zlib'), import('node:stream')]);
  const decoders = encodings.reverse().map((name) => {
    if (name === 'gzip' || name === 'x-gzip') return zlib.createGunzip();
    if (name === 'deflate') return zlib.createInflate();
    if (name === 'br') return zlib.createBrotliDecompress();
    throw new WireError('answered', 'the answer is encoded in a way that was not asked for');
  });
  const decoded = pipeline([Readable.from(body), ...decoders], () => undefined) as unknown as AsyncIterable<Uint8Array>;
  try {
    yield* decoded;
  } catch (error) {
    if (error instanceof WireError) throw error;
    throw new WireError('answered', 'the compressed answer is damaged or breaks off', error);
  }
}

/**
 * A whole body, decoded. Gives undefined as soon as it grows beyond `maxBytes`, and reads no further.
 * Fails with WireError where the body breaks off or does not decode.
 */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  encoding: string | undefined,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of decodeBody(body, encoding)) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
