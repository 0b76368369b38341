import type { StoredObject } from '../../../core/context.ts';
import { parsePattern } from '../../objects/address-pattern.ts';
import { addressOf, parseObjectAddress, splitAddress } from '../object-address.ts';
import type { S3Client } from '../s3-client.ts';
import { readListing } from './listing-pages.ts';

/** Yields the objects that match a pattern, in the order of their keys, from a listing that is whole: see `readListing`. */
export async function* listObjects(
  client: S3Client,
  pattern: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<StoredObject> {
  const { prefix, matches } = parsePattern(pattern);
  const { bucket, rest } = splitAddress(prefix);
  const { objects } = await readListing(client, { bucket, prefix: rest, delimiter: '' }, `list ${pattern}`, signal);
  for (const { key, bytes, version } of objects) {
    const address = addressOf(bucket, key);
    // Also refuses a key that could not be read.
    if (matches(address) && parseObjectAddress(address).key !== '') yield { address, bytes, version };
  }
}
