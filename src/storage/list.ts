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

/** How many times as long a page may take: the first listing of many new files computes their checksums (storage contract). */
const PATIENCE = 10;

/** How often a listing is read whose pages go round in circles. */
const MAX_LISTINGS = 5;

/** Parts of unfinished uploads (storage contract). */
const UPLOADS = '.s3compat_uploads/';

/** So many entries are read before the first is given: up to then they may come in any order. */
const SORTED_HERE = 20_000;

/** The entries of each page. Undefined: a page named an earlier one, and the listing begins again (storage contract). */
export async function* listPages(
  client: S3Client,
  { prefix, isShallow, after }: Listing,
): AsyncGenerator<readonly VolumeEntry[] | undefined> {
  const what = `list ${client.address(prefix)}`;
  const tokens = new Set<string>();
  let token: string | undefined;
  for (let listings = 1; ;) {
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
    const { entries, next } = readPage(document, prefix, what);
    yield entries;
    if (next === undefined) return;
    token = next;
    if (!tokens.has(next)) {
      tokens.add(next);
      continue;
    }
    if (listings === MAX_LISTINGS)
      throw unreadable(
        what,
        'its pages go round in circles: it may still compute the checksums of new files. Run it again later',
      );
    await client.sleep(1000 * 2 ** listings);
    yield undefined;
    listings += 1;
    token = undefined;
    tokens.clear();
  }
}

/** In the order of the bytes of their keys, each once; complete, or unavailable (7). */
export async function* listEntries(client: S3Client, listing: Listing): AsyncGenerator<VolumeEntry> {
  let last: string | undefined;
  let previous = '';
  let held: VolumeEntry[] | undefined = [];
  const fresh = ({ key }: VolumeEntry): boolean => last === undefined || compareBytes(key, last) > 0;
  for await (const entries of listPages(client, listing)) {
    if (entries === undefined) {
      [held, previous] = [[], ''];
      continue;
    }
    held?.push(...entries);
    if (held !== undefined && held.length <= SORTED_HERE) continue;
    for (const entry of sorted(held ?? entries)) {
      if (compareBytes(entry.key, previous) < 0)
        throw unreadable(`list ${client.address(listing.prefix)}`, 'its keys are not in order');
      previous = entry.key;
      // An earlier round gave some of them.
      if (!fresh(entry)) continue;
      last = entry.key;
      yield entry;
    }
    held = undefined;
  }
  yield* sorted(held ?? []).filter(fresh);
}

/** Whether anything is in a folder. */
export async function hasEntries(client: S3Client, prefix: string): Promise<boolean> {
  for await (const entries of listPages(client, { prefix, isShallow: true }))
    if (entries !== undefined && entries.length > 0) return true;
  return false;
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
    const files = childrenOf(listing, 'Contents').map((entry) => fileOf(entry, decoded));
    const entries = [
      ...files.map((file): VolumeEntry => ({ kind: file.key.endsWith('/') ? 'folder' : 'file', key: file.key, file })),
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
