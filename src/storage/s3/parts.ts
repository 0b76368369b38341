import { createHash } from 'node:crypto';
import { childrenOf, childText } from '../../core/xml.ts';
import type { Written } from './confirm-written.ts';
import type { ObjectName } from './object-address.ts';
import type { S3Answer, S3Client, SentBody } from './s3-client.ts';
import { unreadable } from './s3-failures.ts';

export interface Target {
  readonly client: S3Client;
  readonly name: ObjectName;
  readonly address: string;
  readonly what: string;
  readonly signal: AbortSignal | undefined;
}

export async function unfinishedUploads({ client, name, what, signal }: Target): Promise<readonly string[]> {
  const found: { readonly id: string; readonly startedAt: string }[] = [];
  const markers = new Set<string>();
  let marker: Readonly<Record<string, string>> = {};
  for (;;) {
    const { status, document } = await client.send({
      what,
      method: 'GET',
      bucket: name.bucket,
      key: '',
      query: { uploads: '', prefix: name.key, ...marker },
      roots: ['ListMultipartUploadsResult'],
      handled: [404],
      signal,
    });
    // Some services say so where there is no upload at all. A bucket that is not there is found out by the next request.
    if (status === 404) break;
    if (document === undefined) throw unreadable(what, 'it is no list of uploads');
    for (const upload of childrenOf(document, 'Upload')) {
      const id = childText(upload, 'UploadId');
      if (childText(upload, 'Key') === name.key && id !== undefined && id !== '')
        found.push({ id, startedAt: childText(upload, 'Initiated') ?? '' });
    }
    const [key, id] = [childText(document, 'NextKeyMarker'), childText(document, 'NextUploadIdMarker')];
    if (childText(document, 'IsTruncated') !== 'true' || key === undefined || key === '') break;
    const next = `${key}\n${id ?? ''}`;
    if (markers.has(next)) throw unreadable(what, 'its pages go round in circles');
    markers.add(next);
    marker = { 'key-marker': key, ...(id === undefined ? {} : { 'upload-id-marker': id }) };
  }
  return found.toSorted((one, other) => (one.startedAt < other.startedAt ? -1 : 1)).map(({ id }) => id);
}

/** The names of a list of parts: the documented one, and the one that some services use. */
const PARTS_ROOTS = ['ListPartsResult', 'ListPartsResponse'];

/** Most pages of a list of parts: 10,000 parts have ten. */
const MAX_PAGES = 20;

export interface KnownPart {
  readonly etag: string;
  readonly bytes: number;
}

export const isPart = ({ etag, bytes }: KnownPart, digest: Buffer, size: number): boolean =>
  bytes === size && etag.replaceAll('"', '') === digest.toString('hex');

/** The parts of an upload that are there, by their numbers. Undefined where it is gone. */
export async function sentParts(target: Target, uploadId: string): Promise<ReadonlyMap<number, KnownPart> | undefined> {
  const parts = new Map<number, KnownPart>();
  let after = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const found = await partsAfter(target, uploadId, after);
    if (found === undefined) return undefined;
    for (const [number, part] of found.parts) parts.set(number, part);
    if (found.next === undefined || found.next <= after) break;
    after = found.next;
  }
  return parts;
}

/** A page of the parts of an upload, those behind a number; `next` where there are more. Undefined where the upload is gone. */
async function partsAfter(
  { client, name, what, signal }: Target,
  uploadId: string,
  after: number,
  most?: number,
): Promise<{ readonly parts: ReadonlyMap<number, KnownPart>; readonly next: number | undefined } | undefined> {
  const query = {
    uploadId,
    'part-number-marker': String(after),
    ...(most === undefined ? {} : { 'max-parts': String(most) }),
  };
  const { document } = await client.send({
    what,
    method: 'GET',
    ...name,
    query,
    roots: PARTS_ROOTS,
    handled: [404],
    signal,
  });
  if (document === undefined) return undefined;
  const parts = new Map(
    childrenOf(document, 'Part').map((part): readonly [number, KnownPart] => [
      Number(childText(part, 'PartNumber')),
      { etag: childText(part, 'ETag') ?? '', bytes: Number(childText(part, 'Size')) },
    ]),
  );
  const next = childText(document, 'NextPartNumberMarker');
  return {
    parts,
    next: childText(document, 'IsTruncated') === 'true' && next !== undefined ? Number(next) : undefined,
  };
}

export interface SentPart {
  readonly number: number;
  readonly etag: string;
  readonly digest: Buffer;
  readonly bytes: number;
}

export interface Block {
  readonly digest: Buffer;
  readonly body: SentBody;
}

export const blockOfBytes = (body: Uint8Array): Block => ({ digest: md5(body), body });

export const md5 = (bytes: Uint8Array): Buffer => createHash('md5').update(bytes).digest();

/** After a lost answer, `find` looks for the upload that the service may have created. */
export async function beginUpload(
  { client, name, what, signal }: Target,
  find: () => Promise<string | undefined> = () => Promise.resolve(undefined),
): Promise<{ readonly id: string } & Pick<S3Answer, 'attempts'>> {
  let found: string | undefined;
  const { document, attempts } = await client.send({
    what,
    method: 'POST',
    ...name,
    query: { uploads: '' },
    roots: ['InitiateMultipartUploadResult'],
    isDone: async () => {
      found = await find();
      return found !== undefined;
    },
    signal,
  });
  const id = found ?? (document === undefined ? undefined : childText(document, 'UploadId'));
  if (id === undefined || id === '') throw unreadable(what, 'it has no UploadId');
  return { id, attempts };
}

/** Sends a part with its checksum, which the service compares. Where the answer was lost, the part is looked for first. */
export async function sendPart(
  target: Target,
  uploadId: string,
  number: number,
  { digest, body }: Block,
): Promise<SentPart> {
  const { client, name, what, signal } = target;
  let found: string | undefined;
  const { headers } = await client.send({
    what,
    method: 'PUT',
    ...name,
    query: { partNumber: String(number), uploadId },
    headers: { 'content-md5': digest.toString('base64') },
    body,
    isDone: async () => {
      found = await sentPart(target, uploadId, number, { digest, body });
      return found !== undefined;
    },
    signal,
  });
  const etag = found ?? headers['etag'];
  if (etag === undefined) throw unreadable(what, 'it has no ETag');
  return { number, etag, digest, bytes: body.byteLength };
}

async function sentPart(
  target: Target,
  uploadId: string,
  number: number,
  { digest, body }: Block,
): Promise<string | undefined> {
  const page = await partsAfter(target, uploadId, number - 1, 1);
  const part = page?.parts.get(number);
  return part !== undefined && isPart(part, digest, body.byteLength) ? part.etag : undefined;
}

export function joinedParts(parts: readonly SentPart[]): Written {
  const digests = Buffer.concat(parts.map(({ digest }) => digest));
  return {
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    etag: `${md5(digests).toString('hex')}-${String(parts.length)}`,
  };
}

/** How many times as long a request to join parts may take: for a large file it takes minutes (storage contract). */
const COMPLETE_PATIENCE = 10;

/** Neither status nor answer proves success: `isDone` checks first. Returns true for an unknown upload. */
export async function completeUpload(
  { client, name, what, signal }: Target,
  uploadId: string,
  parts: readonly SentPart[],
  isDone: () => Promise<boolean>,
): Promise<'answered' | 'gone'> {
  const list = parts.map(
    ({ number, etag }) => `<Part><PartNumber>${String(number)}</PartNumber><ETag>${escapeText(etag)}</ETag></Part>`,
  );
  const { status } = await client.send({
    what,
    method: 'POST',
    ...name,
    query: { uploadId },
    headers: { 'content-type': 'application/xml' },
    body: Buffer.from(`<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`),
    roots: ['CompleteMultipartUploadResult'],
    patience: COMPLETE_PATIENCE,
    handled: [404],
    isDone,
    signal,
  });
  return status === 404 ? 'gone' : 'answered';
}

/** Removes the parts of an upload, also after an interrupt. What remains is not an object; the failure matters more. */
export async function abortUpload({ client, name, what }: Target, uploadId: string): Promise<void> {
  await client
    .send({ what, method: 'DELETE', ...name, query: { uploadId }, handled: [404], evenIfInterrupted: true })
    .catch(() => undefined);
}

const escapeText = (text: string): string => text.replace(/[&<>"]/g, (found) => `&#${String(found.charCodeAt(0))};`);
