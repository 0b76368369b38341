import type { Bytes, EpochMs } from '../../core/unit-types.ts';
import { childrenOf, childText, type XmlElement } from '../../core/xml.ts';
import type { S3Client } from './s3-client.ts';
import { unreadable } from './s3-failures.ts';

export interface ListedObject {
  readonly key: string;
  readonly bytes: Bytes;
  readonly version: string;
  readonly modifiedAt: EpochMs | undefined;
}

export interface ListingPage {
  readonly objects: readonly ListedObject[];
  /** What a delimiter ends: each ends with a slash. */
  readonly prefixes: readonly string[];
}

interface ListingReader {
  /** Takes a page; returns true where it needs no more of them. Keys may come in any order, and twice. */
  add(page: ListingPage): Promise<boolean>;
  close(): Promise<void>;
}

/** How many pages without a key may follow one another: more are no listing that ends. */
const MAX_EMPTY_PAGES = 1000;

/** How many times as long a page may take: the first listing of many new files computes their checksums (storage contract). */
const LISTING_PATIENCE = 10;

/** How often a listing is begun again whose pages go round in circles. */
const MAX_LISTINGS = 5;

interface ListingQuery {
  readonly bucket: string;
  readonly prefix: string;
  readonly delimiter: '' | '/';
}

/** Restarts when pages repeat (storage contract). Fails with unavailable (7) rather than omit a key. */
export async function readListing<R extends ListingReader>(
  client: S3Client,
  { bucket, prefix, delimiter }: ListingQuery,
  what: string,
  signal: AbortSignal | undefined,
  begin: () => R,
): Promise<R> {
  const query = { prefix, ...(delimiter === '' ? {} : { delimiter }) };
  for (let attempt = 1; ; attempt++) {
    const reader = begin();
    let isWhole = false;
    try {
      isWhole = await readPages(client, bucket, query, reader, what, signal);
    } finally {
      if (!isWhole) await reader.close();
    }
    if (isWhole) return reader;
    if (attempt === MAX_LISTINGS)
      throw unreadable(
        what,
        'its pages go round in circles: it may still compute the checksums of new files. Run it again later',
      );
    await client.pause(1000 * 2 ** attempt, signal);
  }
}

/** Reads all pages. Returns false where one names a page that was read before. */
async function readPages(
  client: S3Client,
  bucket: string,
  query: { readonly prefix: string; readonly delimiter?: string },
  reader: ListingReader,
  what: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const tokens = new Set<string>();
  let emptyPages = 0;
  for (let token: string | undefined; ;) {
    const { document } = await client.send({
      what,
      method: 'GET',
      roots: ['ListBucketResult'],
      patience: LISTING_PATIENCE,
      bucket,
      key: '',
      query: {
        'list-type': '2',
        'encoding-type': 'url',
        ...query,
        ...(token === undefined ? {} : { 'continuation-token': token }),
      },
      signal,
    });
    const page = readPage(document, what);
    for (const key of [...page.objects.map((object) => object.key), ...page.prefixes])
      if (!key.startsWith(query.prefix)) throw unreadable(what, `${JSON.stringify(key)} was not asked for`);
    if ((await reader.add(page)) || page.next === undefined) return true;
    emptyPages = page.objects.length + page.prefixes.length === 0 ? emptyPages + 1 : 0;
    if (emptyPages > MAX_EMPTY_PAGES) throw unreadable(what, 'it has pages without keys, and no end');
    if (tokens.has(page.next)) return false;
    tokens.add(page.next);
    token = page.next;
  }
}

function readPage(
  listing: XmlElement | undefined,
  what: string,
): ListingPage & { /** The token of the next page; undefined on the last. */ readonly next: string | undefined } {
  if (listing === undefined) throw unreadable(what, 'it is no listing');
  try {
    const isEncoded = childText(listing, 'EncodingType') === 'url';
    const decoded = (key: string): string => (isEncoded ? decodeURIComponent(key.replaceAll('+', ' ')) : key);
    const isLast = needed(listing, 'IsTruncated') !== 'true';
    return {
      objects: childrenOf(listing, 'Contents').map((entry) => objectOf(entry, decoded)),
      prefixes: childrenOf(listing, 'CommonPrefixes').map((entry) => decoded(needed(entry, 'Prefix'))),
      next: isLast ? undefined : needed(listing, 'NextContinuationToken'),
    };
  } catch (error) {
    throw unreadable(what, error instanceof Error ? (error.message.split('\n')[0] ?? '') : '');
  }
}

function objectOf(entry: XmlElement, decoded: (key: string) => string): ListedObject {
  const key = needed(entry, 'Key');
  const size = needed(entry, 'Size');
  if (!/^\d{1,15}$/.test(size)) throw new Error(`the size of ${JSON.stringify(key)} is not a number`);
  const version = needed(entry, 'ETag');
  // It becomes a header of a read.
  if (!/^[\x21-\x7e]{1,1024}$/.test(version)) throw new Error(`the ETag of ${JSON.stringify(key)} is not one`);
  const modifiedAt = Date.parse(childText(entry, 'LastModified') ?? '');
  return {
    key: decoded(key),
    bytes: Number(size),
    version,
    modifiedAt: Number.isNaN(modifiedAt) ? undefined : modifiedAt,
  };
}

function needed(element: XmlElement, name: string): string {
  const text = childText(element, name);
  if (text === undefined || text === '') throw new Error(`it has no ${name}`);
  return text;
}
