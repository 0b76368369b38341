import type { ObjectName } from '../object-address.ts';
import type { S3Client } from '../s3-client.ts';
import { unreadable } from '../s3-failures.ts';
import { childrenOf, childText } from '../../../core/xml.ts';

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
export async function partsAfter(
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
