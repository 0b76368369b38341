import type { VolumeEntry, VolumeFile } from '../core/file-ports.ts';
import { compareBytes } from '../core/text.ts';
import { childrenOf, childText, type XmlElement } from '../core/xml.ts';
import type { S3Client } from './client.ts';
import { unreadable } from './failures.ts';

interface ListingPage {
  readonly entries: readonly VolumeEntry[];
  /** The token of the next page. */
  readonly next: string | undefined;
}

interface Listing {
  readonly prefix: string;
  /** Only what is directly in it: folders end with a slash. */
  readonly isShallow?: boolean | undefined;
  /** Keys up to this one are not needed. The service may give them all the same. */
  readonly after?: string;
}

/** Pages without a key in a row: more are no listing that ends. */
const MAX_EMPTY_PAGES = 1000;

/** How many times as long a page may take: the first listing of many new files computes their checksums (storage contract). */
const PATIENCE = 10;

/** How often a listing is read whose pages go round in circles. */
const MAX_LISTINGS = 5;

/** Parts of unfinished uploads (storage contract). */
const UPLOADS = '.s3compat_uploads/';

/** So many entries are read before the first is given: up to then they may come in any order. */
const SORTED_HERE = 20_000;

/** The pages of a listing, each with a token that no page before it had. Fails with unavailable (7). */
export async function* listPages(client: S3Client, { prefix, isShallow, after }: Listing): AsyncGenerator<ListingPage> {
  const what = `list ${client.address(prefix)}`;
  const tokens = new Set<string>();
  let emptyPages = 0;
  for (let token: string | undefined; ;) {
    const { document } = await client.send({
      what,
      method: 'GET',
      key: '',
      roots: ['ListBucketResult'],
      patience: PATIENCE,
      query: {
        'list-type': '2',
        'encoding-type': 'url',
        prefix,
        ...(isShallow === true ? { delimiter: '/' } : {}),
        ...(after === undefined ? {} : { 'start-after': after }),
        ...(token === undefined ? {} : { 'continuation-token': token }),
      },
    });
    const page = readPage(document, prefix, what);
    yield page;
    if (page.next === undefined) return;
    emptyPages = page.entries.length === 0 ? emptyPages + 1 : 0;
    if (emptyPages > MAX_EMPTY_PAGES) throw unreadable(what, 'it has pages without keys, and no end');
    if (tokens.has(page.next)) throw new RepeatedToken();
    tokens.add(page.next);
    token = page.next;
  }
}

/** A page names one that was read before: the listing must be begun again (storage contract). */
class RepeatedToken extends Error {}

/** In the order of the bytes of their keys, each once; complete, or unavailable (7). */
export async function* listEntries(client: S3Client, listing: Listing): AsyncGenerator<VolumeEntry> {
  const what = `list ${client.address(listing.prefix)}`;
  let last: string | undefined;
  const fresh = ({ key }: VolumeEntry): boolean => last === undefined || compareBytes(key, last) > 0;
  for (let attempt = 1; ; attempt++) {
    let held: VolumeEntry[] | undefined = [];
    let previous = '';
    try {
      for await (const { entries } of listPages(client, listing)) {
        held?.push(...entries);
        if (held !== undefined && held.length <= SORTED_HERE) continue;
        for (const entry of sorted(held ?? entries)) {
          if (compareBytes(entry.key, previous) < 0) throw unreadable(what, 'its keys are not in order');
          previous = entry.key;
          // An earlier attempt gave some of them.
          if (!fresh(entry)) continue;
          last = entry.key;
          yield entry;
        }
        held = undefined;
      }
      yield* sorted(held ?? []).filter(fresh);
      return;
    } catch (error) {
      if (!(error instanceof RepeatedToken)) throw error;
      if (attempt === MAX_LISTINGS)
        throw unreadable(
          what,
          'its pages go round in circles: it may still compute the checksums of new files. Run it again later',
        );
      await client.sleep(1000 * 2 ** attempt);
    }
  }
}

/** Whether anything is in a folder. */
export async function hasEntries(client: S3Client, prefix: string): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      for await (const { entries } of listPages(client, { prefix, isShallow: true }))
        if (entries.length > 0) return true;
      return false;
    } catch (error) {
      if (!(error instanceof RepeatedToken)) throw error;
      // The pages so far had nothing.
      if (attempt === MAX_LISTINGS) return false;
      await client.sleep(1000 * 2 ** attempt);
    }
  }
}

const sorted = (entries: readonly VolumeEntry[]): readonly VolumeEntry[] =>
  entries
    .toSorted((one, other) => compareBytes(one.key, other.key))
    .filter(({ key }, at, all) => key !== all[at + 1]?.key);

function readPage(listing: XmlElement | undefined, prefix: string, what: string): ListingPage {
  if (listing === undefined) throw unreadable(what, 'it is no listing');
  try {
    const isEncoded = childText(listing, 'EncodingType') === 'url';
    const decoded = (key: string): string => (isEncoded ? decodeURIComponent(key.replaceAll('+', ' ')) : key);
    const entries = [
      ...childrenOf(listing, 'Contents').map((entry) => entryOf(fileOf(entry, decoded))),
      ...childrenOf(listing, 'CommonPrefixes').map((entry): VolumeEntry => ({
        kind: 'folder',
        key: decoded(needed(entry, 'Prefix')),
      })),
    ];
    for (const { key } of entries)
      if (!key.startsWith(prefix)) throw new Error(`${JSON.stringify(key)} was not asked for`);
    return {
      // A service may name an empty folder, also the one that is listed, as a key that ends with a slash.
      entries: entries.filter(({ key }) => key !== prefix && !key.startsWith(UPLOADS)),
      next: needed(listing, 'IsTruncated') === 'true' ? needed(listing, 'NextContinuationToken') : undefined,
    };
  } catch (error) {
    throw unreadable(what, error instanceof Error ? (error.message.split('\n')[0] ?? '') : '');
  }
}

const entryOf = (file: VolumeFile): VolumeEntry =>
  file.key.endsWith('/') ? { kind: 'folder', key: file.key } : { kind: 'file', key: file.key, file };

function fileOf(entry: XmlElement, decoded: (key: string) => string): VolumeFile {
  const key = needed(entry, 'Key');
  const size = needed(entry, 'Size');
  if (!/^\d{1,15}$/.test(size)) throw new Error(`the size of ${JSON.stringify(key)} is not a number`);
  const version = needed(entry, 'ETag');
  if (!/^[\x21-\x7e]{1,1024}$/.test(version)) throw new Error(`the ETag of ${JSON.stringify(key)} is invalid`);
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
