import { createHash } from 'node:crypto';
import type { S3Answer, SentBody } from '../s3-client.ts';
import { unreadable } from '../s3-failures.ts';
import { childText } from '../../../core/xml.ts';
import type { Written } from './confirm-written.ts';
import { isPart, partsAfter, type Target } from './unfinished-uploads.ts';

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
