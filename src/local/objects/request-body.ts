import { createHash } from 'node:crypto';
import type { Bytes } from '../../core/unit-types.ts';
import type { LocalRequest } from '../http/operation.ts';
import { ObjectError } from './answers.ts';
import type { Signed } from './signature.ts';
import { type DigestedContent, withMd5 } from './write-file.ts';

const UNSIGNED = 'UNSIGNED-PAYLOAD';
const CHUNKED = /^STREAMING-(?:UNSIGNED|AWS4-HMAC-SHA256)-PAYLOAD(?:-TRAILER)?$/;

/** Also the longest line before a chunk. */
const MAX_CHUNK_BYTES: Bytes = 64 * 1024 * 1024;
const MAX_LINE_BYTES = 8192;

/** Checks digest, chunk signatures and Content-MD5: reading throws the refusal, perhaps only at the end. */
export function contentOf(request: LocalRequest, signed: Signed): DigestedContent {
  const content = withMd5(signedContent(request, signed));
  const given = request.headers['content-md5'];
  return given === undefined ? content : { md5: content.md5, [Symbol.asyncIterator]: () => checked(content, given) };
}

async function* checked(content: DigestedContent, given: string): AsyncGenerator<Uint8Array> {
  yield* content;
  if (content.md5().toString('base64') !== given)
    throw new ObjectError(400, 'BadDigest', 'The Content-MD5 is not that of the content.');
}

async function* signedContent(request: LocalRequest, signed: Signed): AsyncGenerator<Uint8Array> {
  const sha256 = /^[0-9a-f]{64}$/.test(signed.content) ? createHash('sha256') : undefined;
  if (sha256 === undefined && signed.content !== UNSIGNED && !CHUNKED.test(signed.content))
    throw new ObjectError(400, 'InvalidRequest', 'x-amz-content-sha256 has a value that is not supported.');
  const { body = [] } = request;
  const chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array> = body instanceof Uint8Array ? [body] : body;
  for await (const chunk of CHUNKED.test(signed.content) ? withoutFrames(chunks, signed) : chunks) {
    sha256?.update(chunk);
    yield chunk;
  }
  if (sha256 !== undefined && sha256.digest('hex') !== signed.content)
    throw new ObjectError(400, 'XAmzContentSHA256Mismatch', 'The content is not that which was signed.');
}

/** The data of a body in chunks: `SIZE;chunk-signature=...`, the data, and after the last chunk lines that are skipped. */
async function* withoutFrames(
  body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { content, signature, signChunk }: Signed,
): AsyncGenerator<Uint8Array> {
  const isSigned = content.startsWith('STREAMING-AWS4');
  let held: Buffer = Buffer.alloc(0);
  let frame: { readonly size: number; readonly signature: string | undefined } | undefined;
  let previous = signature;
  let isEnd = false;
  for await (const part of body) {
    if (isEnd) continue;
    held = held.byteLength === 0 ? Buffer.from(part) : Buffer.concat([held, part]);
    for (;;) {
      if (frame === undefined) {
        const end = held.indexOf('\r\n');
        if (end < 0 && held.byteLength > MAX_LINE_BYTES) throw incomplete();
        if (end < 0) break;
        frame = frameOf(held.subarray(0, end).toString('latin1'));
        held = held.subarray(end + 2);
      }
      isEnd = frame.size === 0;
      if (isEnd || held.byteLength < frame.size + 2) break;
      const chunk = held.subarray(0, frame.size);
      if (held.subarray(frame.size, frame.size + 2).toString('latin1') !== '\r\n') throw incomplete();
      if (isSigned) {
        if (frame.signature !== signChunk(previous, chunk))
          throw new ObjectError(403, 'SignatureDoesNotMatch', 'The signature of a chunk is not that of its content.');
        previous = frame.signature;
      }
      yield chunk;
      held = held.subarray(frame.size + 2);
      frame = undefined;
    }
  }
  if (!isEnd) throw incomplete();
}

function frameOf(line: string): { readonly size: number; readonly signature: string | undefined } {
  const [, size = '', signature] = /^([0-9a-fA-F]{1,8})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec(line) ?? [];
  const bytes = Number.parseInt(size, 16);
  if (Number.isNaN(bytes) || bytes > MAX_CHUNK_BYTES) throw incomplete();
  return { size: bytes, signature };
}

const incomplete = (): ObjectError =>
  new ObjectError(400, 'IncompleteBody', 'The body ended early, or is not in the form that its headers say.');
