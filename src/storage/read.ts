import { localFile, messageOf } from '../core/failure.ts';
import type { VolumeEntry, VolumeFile } from '../core/file-ports.ts';
import { compareBytes } from '../core/text.ts';
import type { Bytes } from '../core/unit-types.ts';
import { childrenOf, childText, type XmlElement } from '../core/xml.ts';
import { WireError, type WireHead } from '../http/transport.ts';
import { isFailed, LARGE_BYTES, NO_BYTES, type S3Client, type S3Request } from './client.ts';
import { unreadable } from './failures.ts';

/** Undefined where there is no such file. */
export async function findFile(client: S3Client, key: string): Promise<VolumeFile | undefined> {
  const what = `look at ${client.address(key)}`;
  const { status, headers } = await client.send({ what, method: 'HEAD', key, handled: [404] });
  if (status === 404) return undefined;
  const { etag, 'content-length': size = '', 'last-modified': time } = headers;
  if (etag === undefined || !/^\d{1,15}$/.test(size)) throw unreadable(what, 'it has no ETag or no size');
  return { key, bytes: Number(size), version: etag, modifiedAt: timeOf(time) };
}

const timeOf = (text = ''): number | undefined => (Number.isNaN(Date.parse(text)) ? undefined : Date.parse(text));

/** Goes on behind what arrived, with the same version. Local-file (14) if the file changed. Yields what `take` did not get. */
export async function* readFile(
  client: S3Client,
  { key, bytes, version: known }: VolumeFile,
  start: Bytes = 0,
  end: Bytes = bytes,
  take?: (chunk: Uint8Array) => unknown,
): AsyncGenerator<Uint8Array> {
  const address = client.address(key);
  const what = `read ${address}`;
  const retry = client.retry();
  let version = known;
  let at = start;
  while (at < end) {
    const range = `bytes=${String(at)}-${String(end - 1)}`;
    const isLarge = end - at > LARGE_BYTES;
    const checked = (chunk: Uint8Array, { status, headers: { etag, 'content-range': part = '' } }: WireHead) => {
      if (status < 300 && etag === undefined) throw unreadable(what, 'it has no ETag');
      version ||= etag ?? '';
      if (status >= 300 || etag !== version)
        throw localFile(`${address} was changed or removed while it was read`, 'Run it again.');
      // Some services answer 200 instead of 206: the header says which bytes these are.
      if (!part.startsWith(`${range.replace('=', ' ')}/`))
        throw unreadable(what, 'it is not the range that was asked for');
      // Without this, an answer that never ends would be read for ever.
      if (at === end && chunk.byteLength > 0) throw unreadable(what, 'it is longer than the range that was asked for');
      const wanted = chunk.subarray(0, end - at);
      at += wanted.byteLength;
      if (wanted.byteLength > 0) retry.reset();
      return wanted;
    };
    const taken: S3Request['take'] = take && ((chunk, head) => take(checked(chunk, head)));
    const request: S3Request = {
      what,
      method: 'GET',
      key,
      headers: { range },
      handled: [404, 416],
      isLarge,
      take: taken,
    };
    let answer = await client.open(request, retry.attempts());
    if (!isFailed(answer))
      try {
        for await (const chunk of answer.body as AsyncIterable<Uint8Array>) yield checked(chunk, answer);
        checked(NO_BYTES, answer);
        if (at < end) throw new WireError('answered', 'the answer is shorter than it said');
        return;
      } catch (error) {
        if (!(error instanceof WireError)) throw error;
        answer = client.lost(request, error);
      }
    await retry.next(answer);
  }
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
  const list = { what, method: 'GET', key: '', roots: ['ListBucketResult'], patience: PATIENCE } as const;
  const tokens = new Set<string>();
  let token: string | undefined;
  for (let listings = 1; ;) {
    const query = {
      'list-type': '2',
      'encoding-type': 'url',
      prefix,
      ...(isShallow === true && { delimiter: '/' }),
      ...(after !== undefined && { 'start-after': after }),
      ...(token !== undefined && { 'continuation-token': token }),
    };
    const { entries, next } = readPage((await client.send({ ...list, query })).document, prefix, what);
    yield entries;
    if (next === undefined) return;
    // A copy: V8 keeps a long part of a page with all of the page.
    token = Buffer.from(next).toString();
    if (!tokens.has(token)) {
      tokens.add(token);
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
  // An earlier round may have given some of them.
  const fresh = ({ key }: VolumeEntry): boolean => last === undefined || compareBytes(key, last) > 0;
  for await (const entries of listPages(client, listing)) {
    if (entries === undefined) {
      [held, previous] = [[], ''];
      continue;
    }
    // Copies: else V8 learns that entries stay for long, and puts all others among the old objects too.
    held?.push(...structuredClone(entries));
    if (held !== undefined && held.length <= SORTED_HERE) continue;
    for (const entry of sorted(held ?? entries)) {
      if (compareBytes(entry.key, previous) < 0)
        throw unreadable(`list ${client.address(listing.prefix)}`, 'its keys are not in order');
      previous = entry.key;
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

/** `next`: the token of the next page. */
function readPage(listing: XmlElement | undefined, prefix: string, what: string) {
  if (listing === undefined) throw unreadable(what, 'it is no listing');
  try {
    const isEncoded = childText(listing, 'EncodingType') === 'url';
    const decoded = (key: string): string => (isEncoded ? decodeURIComponent(key.replaceAll('+', ' ')) : key);
    const files = childrenOf(listing, 'Contents').map((entry) => fileOf(entry, decoded));
    const folders = childrenOf(listing, 'CommonPrefixes').map((entry) => decoded(needed(entry, 'Prefix')));
    const entries = [
      ...files.map((file): VolumeEntry => ({ kind: file.key.endsWith('/') ? 'folder' : 'file', key: file.key, file })),
      ...folders.map((key): VolumeEntry => ({ kind: 'folder', key })),
    ];
    const other = entries.find(({ key }) => !key.startsWith(prefix));
    if (other !== undefined) throw new Error(`${JSON.stringify(other.key)} was not asked for`);
    return {
      // A service may name an empty folder, also the one that is listed, as a key that ends with a slash.
      entries: entries.filter(({ key }) => key !== prefix && !key.startsWith(UPLOADS)),
      next: needed(listing, 'IsTruncated') === 'true' ? needed(listing, 'NextContinuationToken') : undefined,
    };
  } catch (error) {
    throw unreadable(what, messageOf(error).split('\n')[0] ?? '');
  }
}

function fileOf(entry: XmlElement, decoded: (key: string) => string): VolumeFile {
  const [key, size, version] = [needed(entry, 'Key'), needed(entry, 'Size'), needed(entry, 'ETag')];
  if (!/^\d{1,15}$/.test(size)) throw new Error(`the size of ${JSON.stringify(key)} is not a number`);
  if (!/^[\x21-\x7e]{1,1024}$/.test(version)) throw new Error(`the ETag of ${JSON.stringify(key)} is invalid`);
  return { key: decoded(key), bytes: Number(size), version, modifiedAt: timeOf(childText(entry, 'LastModified')) };
}

function needed(element: XmlElement, name: string): string {
  const text = childText(element, name);
  if (text === undefined || text === '') throw new Error(`it has no ${name}`);
  return text;
}
