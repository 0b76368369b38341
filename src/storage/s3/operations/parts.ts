import { createHash } from 'node:crypto';
import type { ObjectName } from '../object-address.ts';
import type { S3Answer, S3Client, SentBody } from '../s3-client.ts';
import { unreadable } from '../s3-failures.ts';
import { childrenOf, childText, parseDocument } from '../../../core/text/xml.ts';
import type { Written } from './confirm-written.ts';

/** The object that parts are sent for. */
export interface Target {
  readonly client: S3Client;
  readonly name: ObjectName;
  readonly address: string;
  readonly what: string;
  readonly signal: AbortSignal | undefined;
}

/** A part that is there. `digest` is the MD5 of its content. */
export interface SentPart {
  readonly number: number;
  readonly etag: string;
  readonly digest: Buffer;
  readonly bytes: number;
}

/** Content that is sent in one request; `digest` is its MD5. */
export interface Block {
  readonly digest: Buffer;
  readonly body: SentBody;
}

export const blockOfBytes = (body: Uint8Array): Block => ({ digest: md5(body), body });

export const md5 = (bytes: Uint8Array): Buffer => createHash('md5').update(bytes).digest();

/** Begins an upload in parts and returns its id, with how often the request was sent. */
export async function beginUpload({
  client,
  name,
  what,
  signal,
}: Target): Promise<{ readonly id: string } & Pick<S3Answer, 'attempts'>> {
  const { body, attempts } = await client.send({ what, method: 'POST', ...name, query: { uploads: '' }, signal });
  const result = await parseDocument(body, 'InitiateMultipartUploadResult').catch(() => undefined);
  const id = result === undefined ? undefined : childText(result, 'UploadId');
  if (id === undefined || id === '') throw unreadable(what, 'it has no UploadId');
  return { id, attempts };
}

/** Sends a part with its checksum, which the service compares. */
export async function sendPart(
  { client, name, what, signal }: Target,
  uploadId: string,
  number: number,
  { digest, body }: Block,
): Promise<SentPart> {
  const { headers } = await client.send({
    what,
    method: 'PUT',
    ...name,
    query: { partNumber: String(number), uploadId },
    headers: { 'content-md5': digest.toString('base64') },
    body,
    signal,
  });
  if (headers['etag'] === undefined) throw unreadable(what, 'it has no ETag');
  return { number, etag: headers['etag'], digest, bytes: body.byteLength };
}

/**
 * Joins the parts. Neither the status nor the answer proves that it was done: after a lost answer, a second request finds
 * no upload, and a failure can come with the status 200. `confirmWritten` looks at the object, for what is returned here.
 */
export async function completeUpload(
  { client, name, what, signal }: Target,
  uploadId: string,
  parts: readonly SentPart[],
): Promise<Written> {
  const list = parts.map(
    ({ number, etag }) => `<Part><PartNumber>${String(number)}</PartNumber><ETag>${escapeText(etag)}</ETag></Part>`,
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
  const digests = Buffer.concat(parts.map(({ digest }) => digest));
  return {
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    etag: `${md5(digests).toString('hex')}-${String(parts.length)}`,
  };
}

/** Removes the parts of an upload, also after an interrupt. What remains is not an object; the failure matters more. */
export async function abortUpload({ client, name, what }: Target, uploadId: string): Promise<void> {
  await client
    .send({ what, method: 'DELETE', ...name, query: { uploadId }, handled: [404], evenIfInterrupted: true })
    .catch(() => undefined);
}

/** The ids of the unfinished uploads of the object, the one that began last at the end. */
export async function unfinishedUploads({ client, name, what, signal }: Target): Promise<readonly string[]> {
  const found: { readonly id: string; readonly startedAt: string }[] = [];
  let marker: Readonly<Record<string, string>> = {};
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { uploads: '', prefix: name.key, ...marker };
    const { body } = await client.send({ what, method: 'GET', bucket: name.bucket, key: '', query, signal });
    const listing = await parseDocument(body, 'ListMultipartUploadsResult').catch(() => {
      throw unreadable(what, 'it is no list of uploads');
    });
    for (const upload of childrenOf(listing, 'Upload')) {
      const id = childText(upload, 'UploadId');
      if (id !== undefined && childText(upload, 'Key') === name.key)
        found.push({ id, startedAt: childText(upload, 'Initiated') ?? '' });
    }
    const [key, id] = [childText(listing, 'NextKeyMarker'), childText(listing, 'NextUploadIdMarker')];
    if (childText(listing, 'IsTruncated') !== 'true' || key === undefined || key > name.key) break;
    marker = { 'key-marker': key, ...(id === undefined ? {} : { 'upload-id-marker': id }) };
  }
  return found.toSorted((one, other) => (one.startedAt < other.startedAt ? -1 : 1)).map(({ id }) => id);
}

/** Most pages of a list of uploads or parts: 10,000 parts have ten. */
const MAX_PAGES = 20;

/** The parts of an upload that are there, by their numbers: the ETag and the size of each. Undefined where it is gone. */
export async function sentParts(
  { client, name, what, signal }: Target,
  uploadId: string,
): Promise<ReadonlyMap<number, { readonly etag: string; readonly bytes: number }> | undefined> {
  const parts = new Map<number, { readonly etag: string; readonly bytes: number }>();
  let after = '0';
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { uploadId, 'part-number-marker': after };
    const { status, body } = await client.send({ what, method: 'GET', ...name, query, handled: [404], signal });
    if (status === 404) return undefined;
    const listing = await parseDocument(body, 'ListPartsResult').catch(() => {
      throw unreadable(what, 'it is no list of parts');
    });
    for (const part of childrenOf(listing, 'Part'))
      parts.set(Number(childText(part, 'PartNumber')), {
        etag: childText(part, 'ETag') ?? '',
        bytes: Number(childText(part, 'Size')),
      });
    const next = childText(listing, 'NextPartNumberMarker');
    if (childText(listing, 'IsTruncated') !== 'true' || next === undefined || Number(next) <= Number(after)) break;
    after = next;
  }
  return parts;
}

const escapeText = (text: string): string => text.replace(/[&<>"]/g, (found) => `&#${String(found.charCodeAt(0))};`);
