import { createHash } from 'node:crypto';
import type { Bytes } from '../../core/unit-types.ts';
import type { LocalRequest } from '../http/operation.ts';
import { ObjectError } from './answers.ts';

const UNSIGNED = 'UNSIGNED-PAYLOAD';
const CHUNKED = /^STREAMING-(?:UNSIGNED|AWS4-HMAC-SHA256)-PAYLOAD(?:-TRAILER)?$/;

const MAX_CHUNK_BYTES: Bytes = 64 * 1024 * 1024;
const MAX_LINE_BYTES: Bytes = 8192;

/** The body without frames. Reading throws the refusal of another digest, perhaps only at the end. */
export async function* contentOf({ headers, body }: LocalRequest): AsyncGenerator<Uint8Array> {
  const { 'x-amz-content-sha256': form = '', 'content-md5': givenMd5 } = headers;
  const isDigest = /^[0-9a-f]{64}$/.test(form);
  const isChunked = CHUNKED.test(form);
  if (!isDigest && !isChunked && form !== UNSIGNED)
    throw new ObjectError(400, 'InvalidRequest', 'x-amz-content-sha256 has a value that is not supported.');
  const [sha256, md5] = [createHash('sha256'), createHash('md5')];
  const chunks = body === undefined || body instanceof Uint8Array ? [body ?? Buffer.alloc(0)] : body;
  for await (const chunk of isChunked ? withoutFrames(chunks) : chunks) {
    if (isDigest) sha256.update(chunk);
    if (givenMd5 !== undefined) md5.update(chunk);
    yield chunk;
  }
  if (isDigest && sha256.digest('hex') !== form)
    throw new ObjectError(400, 'XAmzContentSHA256Mismatch', 'The content does not match its signed digest.');
  if (givenMd5 !== undefined && md5.digest('base64') !== givenMd5)
    throw new ObjectError(400, 'BadDigest', 'The content does not match its Content-MD5.');
}

/** Each chunk is `SIZE;chunk-signature=...`, then the data; the lines after the last one are skipped. */
async function* withoutFrames(body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Buffer = Buffer.alloc(0);
  let size: Bytes | undefined;
  for await (const part of body) {
    if (size === 0) continue;
    held = held.byteLength === 0 ? Buffer.from(part) : Buffer.concat([held, part]);
    for (;;) {
      if (size === undefined) {
        const end = held.indexOf('\r\n');
        if (end < 0 && held.byteLength > MAX_LINE_BYTES) throw incomplete();
        if (end < 0) break;
        size = sizeIn(held.subarray(0, end).toString('latin1'));
        held = held.subarray(end + 2);
      }
      if (size === 0 || held.byteLength < size + 2) break;
      if (held.subarray(size, size + 2).toString('latin1') !== '\r\n') throw incomplete();
      yield held.subarray(0, size);
      held = held.subarray(size + 2);
      size = undefined;
    }
  }
  if (size !== 0) throw incomplete();
}

function sizeIn(line: string): Bytes {
  const bytes = Number.parseInt(/^([0-9a-f]{1,8})(?:;|$)/i.exec(line)?.[1] ?? '', 16);
  if (Number.isNaN(bytes) || bytes > MAX_CHUNK_BYTES) throw incomplete();
  return bytes;
}

const incomplete = (): ObjectError =>
  new ObjectError(400, 'IncompleteBody', 'The body ended early, or does not have the form that its headers name.');
