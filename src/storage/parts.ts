import { createHash } from 'node:crypto';
import type { ContentProof, FileSource, VolumeFile } from '../core/file-ports.ts';
import { severalAtOnce } from '../core/several-at-once.ts';
import type { Bytes } from '../core/unit-types.ts';
import { childrenOf, childText, type XmlElement } from '../core/xml.ts';
import type { S3Client, S3Request, SentBody } from './client.ts';
import { unreadable } from './failures.ts';
import { md5 } from './sign.ts';

const MIB = 1_048_576;

/** The most parts of one upload (storage contract). */
const MAX_PARTS = 10_000;
const PART_BYTES: Bytes = 16 * MIB;
const PARTS_AT_ONCE = 8;

/** How many times as long a request to join parts may take: for a large file it takes minutes (storage contract). */
const JOIN_PATIENCE = 10;

/** The same for the same file, so that an interrupted upload can go on. */
export const partSize = (bytes: Bytes): Bytes => Math.ceil(Math.max(bytes / MAX_PARTS, PART_BYTES) / MIB) * MIB;

/** Part sizes that other programs use. Bytes. */
const USUAL_PARTS = [5, 8, 10, 15, 16, 25, 32, 50, 64, 100, 128, 256].map((size) => size * MIB);

/** An ETag that is a checksum: of the content, or of the checksums of its parts. */
export const CHECKSUM = /^"?[0-9a-f]{32}(-\d+)?"?$/;

/** What the ETag of a file proves: it is the MD5 of the content, or of its parts' MD5s (storage contract). */
export function proofOf({ bytes, version }: Pick<VolumeFile, 'bytes' | 'version'>): ContentProof | undefined {
  const [, digest, count] = /^"([0-9a-f]{32})(?:-(\d{1,5}))?"$/.exec(version) ?? [];
  const isWhole = !version.includes('-');
  const sizes = isWhole ? [Math.max(1, bytes)] : [partSize(bytes), ...USUAL_PARTS];
  const partBytes = sizes.find((size) => isWhole || Math.ceil(bytes / size) === Number(count));
  if (digest === undefined || partBytes === undefined) return undefined;
  const joined = (digests: readonly Buffer[]) => (isWhole ? digests[0] : undefined) ?? md5(Buffer.concat(digests));
  return { isWhole, partBytes, agrees: (digests) => joined(digests).toString('hex') === digest };
}

/** The MD5 of what is sent is compared with the ETag of the answer. */
export function checkedBody(body: SentBody) {
  const isWhole = body instanceof Uint8Array;
  let digest = isWhole ? md5(body) : Buffer.alloc(0);
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    const hash = createHash('md5');
    for await (const chunk of isWhole ? [body] : body.chunks()) {
      hash.update(chunk);
      yield chunk;
    }
    digest = hash.digest();
  };
  const request: Pick<S3Request, 'body' | 'headers' | 'check'> = {
    body: isWhole ? body : { byteLength: body.byteLength, chunks },
    headers: isWhole ? { 'content-md5': digest.toString('base64') } : {},
    check: ({ headers: { etag = '' } }) =>
      CHECKSUM.test(etag) && etag.replaceAll('"', '') !== digest.toString('hex')
        ? 'its ETag is not the checksum of what was sent'
        : undefined,
  };
  /** `md5`: of the last attempt that was sent to its end. */
  return { request, md5: (): Buffer => digest };
}

interface Part {
  readonly etag: string;
  readonly bytes: Bytes;
}

export type SentPart = Part & { readonly md5: Buffer };

/** What a file of these parts has as its ETag. */
export const joinedEtag = (parts: readonly SentPart[]): string =>
  `"${md5(Buffer.concat(parts.map((part) => part.md5))).toString('hex')}-${String(parts.length)}"`;

/** An upload in parts. What is never joined or removed stays, and is billed. */
export type Upload = ReturnType<typeof uploadOf>;

export async function beginUpload(client: S3Client, key: string): Promise<Upload> {
  const what = `write ${client.address(key)}`;
  const roots = ['InitiateMultipartUploadResult'];
  const { document } = await client.send({ what, method: 'POST', key, query: { uploads: '' }, roots });
  const id = document === undefined ? undefined : childText(document, 'UploadId');
  if (id === undefined || id === '') throw unreadable(what, 'it has no UploadId');
  return uploadOf(client, key, id);
}

/** The latest unfinished upload of a key, with its parts by number. */
export async function resumeUpload(client: S3Client, key: string) {
  const id = (await unfinishedUploads(client, key)).at(-1);
  if (id === undefined) return undefined;
  const upload = uploadOf(client, key, id);
  const parts = await upload.parts();
  return parts && { upload, parts };
}

function uploadOf(client: S3Client, key: string, id: string) {
  const what = `write ${client.address(key)}`;
  const send = (request: Omit<S3Request, 'what' | 'key'>, uploadId = id) =>
    client.send({ what, key, ...request, query: { uploadId, ...request.query } });
  /** Also after an interrupt. What remains is not a file; the failure matters more. */
  const remove = async (other = id): Promise<void> => {
    await send({ method: 'DELETE', handled: [404], evenIfInterrupted: true }, other).catch(() => undefined);
  };
  return {
    remove,
    /** By number. Undefined where the upload is gone. */
    parts: async (): Promise<ReadonlyMap<number, Part> | undefined> => {
      const parts = new Map<number, Part>();
      for (let after = 0; ;) {
        const query = { 'part-number-marker': String(after) };
        // The documented name, and the one that some services use.
        const roots = ['ListPartsResult', 'ListPartsResponse'];
        const { document } = await send({ method: 'GET', query, roots, handled: [404] });
        if (document === undefined) return undefined;
        for (const part of childrenOf(document, 'Part')) {
          const [etag = '', bytes] = [childText(part, 'ETag'), Number(childText(part, 'Size'))];
          parts.set(Number(childText(part, 'PartNumber')), { etag, bytes });
        }
        const next = Number(childText(document, 'NextPartNumberMarker') ?? 0);
        if (childText(document, 'IsTruncated') !== 'true' || next <= after) return parts;
        after = next;
      }
    },
    send: async (number: number, body: SentBody): Promise<SentPart> => {
      const { request, md5: digest } = checkedBody(body);
      const { etag } = (await send({ method: 'PUT', query: { partNumber: String(number) }, ...request })).headers;
      if (etag === undefined) throw unreadable(what, 'it has no ETag');
      return { etag, bytes: body.byteLength, md5: digest() };
    },
    /** Neither status nor answer proves success. False where the upload is gone. */
    join: async (parts: readonly SentPart[], isDone: () => Promise<boolean>): Promise<boolean> => {
      const list = parts.map(
        ({ etag }, at) => `<Part><PartNumber>${String(at + 1)}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`,
      );
      const { status } = await send({
        method: 'POST',
        headers: { 'content-type': 'application/xml' },
        body: Buffer.from(`<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`),
        roots: ['CompleteMultipartUploadResult'],
        patience: JOIN_PATIENCE,
        handled: [404],
        isDone,
      });
      return status !== 404;
    },
    /** They are of an earlier content, or a lost answer began them: nothing else would remove them. */
    removeOthers: async (): Promise<void> => {
      const others = await unfinishedUploads(client, key).catch(() => []);
      for (const other of others) if (other !== id) await remove(other);
    },
  };
}

/** The oldest first. */
async function unfinishedUploads(client: S3Client, key: string): Promise<readonly string[]> {
  const { document } = await client.send({
    what: `write ${client.address(key)}`,
    method: 'GET',
    key: '',
    query: { uploads: '', prefix: key },
    roots: ['ListMultipartUploadsResult'],
    // Some services say so where there is no upload at all.
    handled: [404],
  });
  const startOf = (upload: XmlElement): string => childText(upload, 'Initiated') ?? '';
  return (document === undefined ? [] : childrenOf(document, 'Upload'))
    .filter((upload) => childText(upload, 'Key') === key)
    .toSorted((one, other) => (startOf(one) < startOf(other) ? -1 : 1))
    .flatMap((upload) => childText(upload, 'UploadId') ?? []);
}

/** Sends the parts of a file that an unfinished upload does not have. */
export async function sendParts(
  upload: Upload,
  there: ReadonlyMap<number, Part>,
  source: FileSource,
  onBytes: (bytes: Bytes) => void,
): Promise<readonly SentPart[]> {
  const size = partSize(source.bytes);
  const numbers = Array.from({ length: Math.ceil(source.bytes / size) }, (_, at) => at + 1);
  const send = async (number: number): Promise<SentPart> => {
    const [start, end] = [(number - 1) * size, Math.min(number * size, source.bytes)];
    const body = { byteLength: end - start, chunks: () => source.read(start, end) };
    const part = (await sameAs(there.get(number), body)) ?? (await upload.send(number, body));
    onBytes(end - start);
    return part;
  };
  const parts: SentPart[] = [];
  for await (const part of severalAtOnce(numbers, send, { atOnce: PARTS_AT_ONCE })) parts.push(part);
  return parts;
}

/** A part that is there already, if it has these bytes. */
async function sameAs(part: Part | undefined, body: Exclude<SentBody, Uint8Array>): Promise<SentPart | undefined> {
  if (part?.bytes !== body.byteLength) return undefined;
  const hash = createHash('md5');
  for await (const chunk of body.chunks()) hash.update(chunk);
  const digest = hash.digest();
  return part.etag.replaceAll('"', '') === digest.toString('hex') ? { ...part, md5: digest } : undefined;
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (found) => `&#${String(found.charCodeAt(0))};`);
