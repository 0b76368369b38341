import { createHash } from 'node:crypto';
import type { Bytes } from '../../core/unit-types.ts';
import type { LocalRequest } from '../http/operation.ts';
import { ObjectError } from './answers.ts';
import type { Signed } from './signature.ts';

const UNSIGNED = 'UNSIGNED-PAYLOAD';
const CHUNKED = /^STREAMING-(?:UNSIGNED|AWS4-HMAC-SHA256)-PAYLOAD(?:-TRAILER)?$/;

const MAX_CHUNK_BYTES: Bytes = 64 * 1024 * 1024;
const MAX_LINE_BYTES: Bytes = 8192;

/** The body without frames. Reading throws the refusal of another digest or chunk signature, perhaps only at the end. */
export async function* contentOf(request: LocalRequest, signed: Signed): AsyncGenerator<Uint8Array> {
  const isDigest = /^[0-9a-f]{64}$/.test(signed.content);
  const isChunked = CHUNKED.test(signed.content);
  if (!isDigest && !isChunked && signed.content !== UNSIGNED)
    throw new ObjectError(400, 'InvalidRequest', 'x-amz-content-sha256 has a value that is not supported.');
  const givenMd5 = request.headers['content-md5'];
  const [sha256, md5] = [createHash('sha256'), createHash('md5')];
  const { body = [] } = request;
  const chunks = body instanceof Uint8Array ? [body] : body;
  for await (const chunk of isChunked ? withoutFrames(chunks, signed) : chunks) {
    if (isDigest) sha256.update(chunk);
    if (givenMd5 !== undefined) md5.update(chunk);
    yield chunk;
  }
  if (isDigest && sha256.digest('hex') !== signed.content)
    throw new ObjectError(400, 'XAmzContentSHA256Mismatch', 'The content does not match its signed digest.');
  if (givenMd5 !== undefined && md5.digest('base64') !== givenMd5)
    throw new ObjectError(400, 'BadDigest', 'The content does not match its Content-MD5.');
}

interface Frame {
  readonly size: Bytes;
  readonly signature: string | undefined;
}

/** Each chunk is `SIZE;chunk-signature=...`, then the data; the lines after the last one are skipped. */
async function* withoutFrames(
  body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { content, signature, signChunk }: Signed,
): AsyncGenerator<Uint8Array> {
  const isSigned = content.startsWith('STREAMING-AWS4');
  let held: Buffer = Buffer.alloc(0);
  let frame: Frame | undefined;
  let previous = signature;
  for await (const part of body) {
    if (frame?.size === 0) continue;
    held = held.byteLength === 0 ? Buffer.from(part) : Buffer.concat([held, part]);
    for (;;) {
      if (frame === undefined) {
        const end = held.indexOf('\r\n');
        if (end < 0 && held.byteLength > MAX_LINE_BYTES) throw incomplete();
        if (end < 0) break;
        frame = frameOf(held.subarray(0, end).toString('latin1'));
        held = held.subarray(end + 2);
      }
      if (frame.size === 0 || held.byteLength < frame.size + 2) break;
      const chunk = held.subarray(0, frame.size);
      if (held.subarray(frame.size, frame.size + 2).toString('latin1') !== '\r\n') throw incomplete();
      if (isSigned && frame.signature !== (previous = signChunk(previous, chunk)))
        throw new ObjectError(403, 'SignatureDoesNotMatch', 'A chunk does not match its signature.');
      yield chunk;
      held = held.subarray(frame.size + 2);
      frame = undefined;
    }
  }
  if (frame?.size !== 0) throw incomplete();
}

function frameOf(line: string): Frame {
  const [, size = '', signature] = /^([0-9a-fA-F]{1,8})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec(line) ?? [];
  const bytes = Number.parseInt(size, 16);
  if (Number.isNaN(bytes) || bytes > MAX_CHUNK_BYTES) throw incomplete();
  return { size: bytes, signature };
}

const incomplete = (): ObjectError =>
  new ObjectError(400, 'IncompleteBody', 'The body ended early, or does not have the form that its headers name.');
