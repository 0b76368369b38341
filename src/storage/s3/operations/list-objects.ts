import type { StoredObject } from '../../../core/context.ts';
import { parsePattern } from '../../objects/address-pattern.ts';
import { addressOf, parseObjectAddress, splitAddress } from '../object-address.ts';
import type { S3Client } from '../s3-client.ts';
import { compareBytes } from '../../../core/text.ts';
import { readListing, type ListedObject } from './listing-pages.ts';

export async function* listObjects(
  client: S3Client,
  pattern: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<StoredObject> {
  const { prefix, matches } = parsePattern(pattern);
  const { bucket, rest } = splitAddress(prefix);
  const { objects } = await readListing(
    client,
    { bucket, prefix: rest, delimiter: '' },
    `list ${pattern}`,
    signal,
    () => {
      const objects = new Map<string, ListedObject>();
      return {
        objects,
        add: (page) => {
          for (const object of page.objects) objects.set(object.key, object);
          return Promise.resolve(false);
        },
        close: () => Promise.resolve(),
      };
    },
  );
  for (const { key, bytes, version } of [...objects.values()].sort((one, other) => compareBytes(one.key, other.key))) {
    const address = addressOf(bucket, key);
    // Also refuses a key that could not be read.
    if (matches(address) && parseObjectAddress(address).key !== '') yield { address, bytes, version };
  }
}
