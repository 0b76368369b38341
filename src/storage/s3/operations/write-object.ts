import { createHash } from 'node:crypto';
import { blocksOf } from '../../../core/files/byte-streams.ts';
import type { StoredObject } from '../../../core/context.ts';
import { notAsWritten } from '../../objects/stored-object-failures.ts';
import { describeObject } from './describe-object.ts';
import { parseObjectAddress, type ObjectName } from '../object-address.ts';
import type { S3Client } from '../s3-client.ts';
import { unreadable } from '../s3-failures.ts';
import { childrenOf, childText, parseDocument } from '../../../core/text/xml.ts';

/**
 * Writes an object: a small one in one request, one of more than `partBytes` in parts. It appears when the last request succeeds. Every
 * request has a checksum that the service compares, and at the end size and checksum of the object are compared. After a
 * failure the parts are removed.
 */
export async function writeObject(
  client: S3Client,
  address: string,
  chunks: AsyncIterable<Uint8Array>,
  partBytes: number,
  signal: AbortSignal | undefined,
): Promise<StoredObject> {
  const name = parseObjectAddress(address);
  const blocks = blocksOf(chunks, partBytes);
  const first = await blocks.next();
  const content = first.done === true ? new Uint8Array(0) : first.value;
  const second = await blocks.next();
  const target: Target = { client, name, address, what: `write ${address}`, signal };
  return second.done === true
    ? await writeWhole(target, content)
    : await writeParts(target, joined(content, second.value, blocks));
}

interface Target {
  readonly client: S3Client;
  readonly name: ObjectName;
  readonly address: string;
  readonly what: string;
  readonly signal: AbortSignal | undefined;
}

/** What the object must be; `etag` is its ETag without quotes where an ETag is a checksum. */
interface Written {
  readonly bytes: number;
  readonly etag: string;
}

async function writeWhole(target: Target, content: Uint8Array): Promise<StoredObject> {
  const { client, name, what, signal } = target;
  const digest = md5(content);
  await client.send({
    what,
    method: 'PUT',
    ...name,
    headers: { 'content-md5': digest.toString('base64'), 'content-length': String(content.byteLength) },
    body: content,
    signal,
  });
  return await verify(target, { bytes: content.byteLength, etag: digest.toString('hex') });
}

/** Writes the parts one after the other, and then joins them. */
async function writeParts(target: Target, blocks: AsyncIterable<Uint8Array>): Promise<StoredObject> {
  const { client, name, what, signal } = target;
  const begun = await client.send({ what, method: 'POST', ...name, query: { uploads: '' }, signal });
  const uploadId = await uploadIdOf(begun.body, what);
  // The answers of the other attempts may have been lost after the service began an upload.
  if (begun.attempts > 1) await abortOthers(target, uploadId).catch(() => undefined);
  try {
    const parts: UploadedPart[] = [];
    let bytes = 0;
    for await (const block of blocks) {
      const digest = md5(block);
      const number = String(parts.length + 1);
      const { headers } = await client.send({
        what,
        method: 'PUT',
        ...name,
        query: { partNumber: number, uploadId },
        headers: { 'content-md5': digest.toString('base64') },
        body: block,
        signal,
      });
      const { etag } = headers;
      if (etag === undefined) throw unreadable(what, 'it has no ETag');
      parts.push({ number, etag, digest });
      bytes += block.byteLength;
    }
    await complete(target, uploadId, parts);
    const etag = `${md5(Buffer.concat(parts.map(({ digest }) => digest))).toString('hex')}-${String(parts.length)}`;
    return await verify(target, { bytes, etag });
  } catch (error) {
    await abort(target, uploadId);
    throw error;
  }
}

interface UploadedPart {
  readonly number: string;
  readonly etag: string;
  readonly digest: Buffer;
}

/**
 * Joins the parts. Neither the status nor the answer proves that it was done: after a lost answer, a second request finds
 * no upload, and a failure can come with the status 200. `verify` looks at the object.
 */
async function complete(
  { client, name, what, signal }: Target,
  uploadId: string,
  parts: readonly UploadedPart[],
): Promise<void> {
  const list = parts.map(
    ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${escapeText(etag)}</ETag></Part>`,
  );
  await client.send({
    what,
    method: 'POST',
    ...name,
    query: { uploadId },
    headers: { 'content-type': 'application/xml' },
    body: Buffer.from(`<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`),
    handled: [404],
    signal,
  });
}

/** Ends other uploads of the same object: without an end, a service keeps and bills their parts for ever. */
async function abortOthers(target: Target, uploadId: string): Promise<void> {
  const { client, name, what, signal } = target;
  const query = { uploads: '', prefix: name.key };
  const { body } = await client.send({ what, method: 'GET', bucket: name.bucket, key: '', query, signal });
  for (const upload of childrenOf(await parseDocument(body, 'ListMultipartUploadsResult'), 'Upload')) {
    const id = childText(upload, 'UploadId');
    if (id !== undefined && id !== uploadId && childText(upload, 'Key') === name.key) await abort(target, id);
  }
}

/** Removes the parts of an upload, also after an interrupt. What remains is not an object; the failure matters more. */
async function abort({ client, name, what }: Target, uploadId: string): Promise<void> {
  await client
    .send({ what, method: 'DELETE', ...name, query: { uploadId }, handled: [404], evenIfInterrupted: true })
    .catch(() => undefined);
}

async function uploadIdOf(body: Uint8Array, what: string): Promise<string> {
  const result = await parseDocument(body, 'InitiateMultipartUploadResult').catch(() => undefined);
  const id = result === undefined ? undefined : childText(result, 'UploadId');
  if (id === undefined || id === '') throw unreadable(what, 'it has no UploadId');
  return id;
}

/** An ETag that is a checksum: services that encrypt objects may give another kind. */
const CHECKSUM = /^"[0-9a-f]{32}(-\d+)?"$/;

/** Returns the object when it is what was written. */
async function verify({ client, address, what, signal }: Target, { bytes, etag }: Written): Promise<StoredObject> {
  const found = await describeObject(client, address, signal);
  if (found === undefined) throw unreadable(what, 'the object is not there afterwards');
  if (found.object.bytes !== bytes) throw notAsWritten(address);
  if (!found.encrypted && CHECKSUM.test(found.object.version) && found.object.version !== `"${etag}"`)
    throw notAsWritten(address);
  return found.object;
}

const md5 = (bytes: Uint8Array): Buffer => createHash('md5').update(bytes).digest();

const escapeText = (text: string): string => text.replace(/[&<>"]/g, (found) => `&#${String(found.charCodeAt(0))};`);

async function* joined(
  first: Uint8Array,
  second: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield first;
  yield second;
  yield* rest;
}
