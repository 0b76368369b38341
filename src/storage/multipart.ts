import { createHash } from 'node:crypto';
import { allEnded } from '../core/several-at-once.ts';
import type { FileSource } from '../core/file-ports.ts';
import type { Bytes } from '../core/unit-types.ts';
import { childrenOf, childText, type XmlElement } from '../core/xml.ts';
import { checkedBody, partSize } from './checksums.ts';
import type { S3Client, S3Request, SentBody } from './client.ts';
import { unreadable } from './failures.ts';
import { md5 } from './sign.ts';

const PARTS_AT_ONCE = 8;

interface Part {
  readonly etag: string;
  readonly bytes: Bytes;
}

export type SentPart = Part & { readonly md5: Buffer };

/** How many times as long a request to join parts may take: for a large file it takes minutes (storage contract). */
const JOIN_PATIENCE = 10;

/** One upload in parts. What is never joined or removed stays, and is billed. */
export class Upload {
  readonly #client: S3Client;
  readonly #key: string;
  readonly #id: string;

  private constructor(client: S3Client, key: string, id: string) {
    [this.#client, this.#key, this.#id] = [client, key, id];
  }

  static async begin(client: S3Client, key: string): Promise<Upload> {
    const what = `write ${client.address(key)}`;
    const roots = ['InitiateMultipartUploadResult'];
    const { document } = await client.send({ what, method: 'POST', key, query: { uploads: '' }, roots });
    const id = document === undefined ? undefined : childText(document, 'UploadId');
    if (id === undefined || id === '') throw unreadable(what, 'it has no UploadId');
    return new Upload(client, key, id);
  }

  /** The latest unfinished upload of a key, with its parts by number. */
  static async resume(
    client: S3Client,
    key: string,
  ): Promise<{ readonly upload: Upload; readonly parts: ReadonlyMap<number, Part> } | undefined> {
    const id = (await unfinishedUploads(client, key)).at(-1);
    if (id === undefined) return undefined;
    const upload = new Upload(client, key, id);
    const parts = await upload.parts();
    return parts && { upload, parts };
  }

  /** By number. Undefined where the upload is gone. */
  async parts(): Promise<ReadonlyMap<number, Part> | undefined> {
    const parts = new Map<number, Part>();
    for (let after = 0; ;) {
      const { document } = await this.#send({
        method: 'GET',
        query: { 'part-number-marker': String(after) },
        // The documented name, and the one that some services use.
        roots: ['ListPartsResult', 'ListPartsResponse'],
        handled: [404],
      });
      if (document === undefined) return undefined;
      for (const part of childrenOf(document, 'Part'))
        parts.set(Number(childText(part, 'PartNumber')), {
          etag: childText(part, 'ETag') ?? '',
          bytes: Number(childText(part, 'Size')),
        });
      const next = Number(childText(document, 'NextPartNumberMarker') ?? 0);
      if (childText(document, 'IsTruncated') !== 'true' || next <= after) return parts;
      after = next;
    }
  }

  async send(number: number, body: SentBody): Promise<SentPart> {
    const { request, md5: digest } = checkedBody(body);
    const { headers } = await this.#send({ method: 'PUT', query: { partNumber: String(number) }, ...request });
    const { etag } = headers;
    if (etag === undefined) throw unreadable(`write ${this.#client.address(this.#key)}`, 'it has no ETag');
    return { etag, bytes: body.byteLength, md5: digest() };
  }

  /** Neither status nor answer proves success. False where the upload is gone. */
  async join(parts: readonly SentPart[], isDone: () => Promise<boolean>): Promise<boolean> {
    const list = parts.map(
      ({ etag }, at) => `<Part><PartNumber>${String(at + 1)}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`,
    );
    const { status } = await this.#send({
      method: 'POST',
      headers: { 'content-type': 'application/xml' },
      body: Buffer.from(`<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`),
      roots: ['CompleteMultipartUploadResult'],
      patience: JOIN_PATIENCE,
      handled: [404],
      isDone,
    });
    return status !== 404;
  }

  /** Also after an interrupt. What remains is not a file; the failure matters more. */
  async remove(id = this.#id): Promise<void> {
    await this.#send({ method: 'DELETE', query: { uploadId: id }, handled: [404], evenIfInterrupted: true }).catch(
      () => undefined,
    );
  }

  /** They are of an earlier content, or a lost answer began them: nothing else would remove them. */
  async removeOthers(): Promise<void> {
    const others = await unfinishedUploads(this.#client, this.#key).catch(() => []);
    for (const id of others) if (id !== this.#id) await this.remove(id);
  }

  #send(request: Omit<S3Request, 'what' | 'key'>) {
    const what = `write ${this.#client.address(this.#key)}`;
    return this.#client.send({ what, key: this.#key, ...request, query: { uploadId: this.#id, ...request.query } });
  }
}

/** The oldest first. */
async function unfinishedUploads(client: S3Client, key: string): Promise<readonly string[]> {
  const { document } = await client.send({
    ...{ what: `write ${client.address(key)}`, method: 'GET', key: '', query: { uploads: '', prefix: key } },
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
  const count = Math.ceil(source.bytes / size);
  const parts: SentPart[] = [];
  let next = 0;
  const sendNext = async (): Promise<void> => {
    while (next < count) {
      const at = next++;
      const [start, end] = [at * size, Math.min((at + 1) * size, source.bytes)];
      parts[at] =
        (await sameAs(there.get(at + 1), source, start, end)) ??
        (await upload.send(at + 1, { byteLength: end - start, chunks: () => source.read(start, end) }));
      onBytes(end - start);
    }
  };
  try {
    await allEnded(Array.from({ length: Math.min(PARTS_AT_ONCE, count) }, sendNext));
  } catch (error) {
    // The others end with their part.
    next = count;
    throw error;
  }
  return parts;
}

/** What a file of these parts has as its ETag, without quotes. */
export const joinedEtag = (parts: readonly { readonly md5: Buffer }[]): string =>
  `${md5(Buffer.concat(parts.map((part) => part.md5))).toString('hex')}-${String(parts.length)}`;

/** A part that is there already, if it has these bytes. */
async function sameAs(
  part: Part | undefined,
  source: FileSource,
  start: Bytes,
  end: Bytes,
): Promise<SentPart | undefined> {
  if (part?.bytes !== end - start) return undefined;
  const hash = createHash('md5');
  for await (const chunk of source.read(start, end)) hash.update(chunk);
  const digest = hash.digest();
  return part.etag.replaceAll('"', '') === digest.toString('hex') ? { ...part, md5: digest } : undefined;
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (found) => `&#${String(found.charCodeAt(0))};`);
