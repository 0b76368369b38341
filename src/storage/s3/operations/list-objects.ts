import type { StoredObject } from '../../../core/context.ts';
import { parsePattern } from '../../objects/address-pattern.ts';
import { addressOf, parseObjectAddress, splitAddress } from '../object-address.ts';
import type { S3Client } from '../s3-client.ts';
import { unreadable } from '../s3-failures.ts';
import { childrenOf, childText, parseDocument, type XmlElement } from '../../../core/text/xml.ts';

/**
 * Yields the objects that match a pattern, page by page. Fails when the listing is not well-formed, not in ascending order,
 * or has an object that was not asked for: a wrong listing could leave out objects, or never end.
 */
export async function* listObjects(
  client: S3Client,
  pattern: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<StoredObject> {
  const { prefix, matches } = parsePattern(pattern);
  const { bucket, rest } = splitAddress(prefix);
  const what = `list ${pattern}`;
  let last: Buffer | undefined;
  let token: string | undefined;
  do {
    const { body } = await client.send({
      what,
      method: 'GET',
      bucket,
      key: '',
      query: {
        'list-type': '2',
        'encoding-type': 'url',
        prefix: rest,
        ...(token === undefined ? {} : { 'continuation-token': token }),
      },
      signal,
    });
    const page = await readPage(body, bucket, what);
    for (const object of page.objects) {
      const bytes = Buffer.from(object.address);
      if (!object.address.startsWith(prefix))
        throw unreadable(what, `${JSON.stringify(object.address)} was not asked for`);
      if (last !== undefined && Buffer.compare(last, bytes) >= 0) throw unreadable(what, 'the keys are not in order');
      last = bytes;
      // Also refuses a key that could not be read.
      if (matches(object.address) && parseObjectAddress(object.address).key !== '') yield object;
    }
    if (page.next !== undefined && page.objects.length === 0)
      throw unreadable(what, 'a page has no keys, and is not the last');
    token = page.next;
  } while (token !== undefined);
}

interface Page {
  readonly objects: readonly StoredObject[];
  /** The token of the next page; undefined on the last. */
  readonly next: string | undefined;
}

async function readPage(body: Uint8Array, bucket: string, what: string): Promise<Page> {
  try {
    const listing = await parseDocument(body, 'ListBucketResult');
    const isEncoded = childText(listing, 'EncodingType') === 'url';
    const objects = childrenOf(listing, 'Contents').map((entry): StoredObject => {
      const key = needed(entry, 'Key');
      const size = needed(entry, 'Size');
      if (!/^\d{1,15}$/.test(size)) throw new Error(`the size of ${JSON.stringify(key)} is not a number`);
      const version = needed(entry, 'ETag');
      // It becomes a header of a read.
      if (!/^[\x21-\x7e]{1,1024}$/.test(version)) throw new Error(`the ETag of ${JSON.stringify(key)} is not one`);
      return {
        address: addressOf(bucket, isEncoded ? decodeURIComponent(key.replaceAll('+', ' ')) : key),
        bytes: Number(size),
        version,
      };
    });
    const isLast = needed(listing, 'IsTruncated') !== 'true';
    return { objects, next: isLast ? undefined : needed(listing, 'NextContinuationToken') };
  } catch (error) {
    throw unreadable(what, error instanceof Error ? (error.message.split('\n')[0] ?? '') : '');
  }
}

function needed(element: XmlElement, name: string): string {
  const text = childText(element, name);
  if (text === undefined || text === '') throw new Error(`it has no ${name}`);
  return text;
}
