import { parseObjectAddress, type StoredObject } from '../object-address.ts';
import type { S3Client } from '../s3-client.ts';
import { unreadable } from '../s3-failures.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

export interface DescribedObject {
  readonly object: StoredObject;
  /** The service encrypted it with a key of its own, so that its ETag is not a checksum. */
  readonly encrypted: boolean;
  /** Undefined where the service does not say it. */
  readonly modifiedAt: EpochMs | undefined;
}

export async function describeObject(
  client: S3Client,
  address: string,
  signal: AbortSignal | undefined,
): Promise<DescribedObject | undefined> {
  const what = `look at ${address}`;
  const { status, headers } = await client.send({
    what,
    method: 'HEAD',
    ...parseObjectAddress(address),
    handled: [404],
    signal,
  });
  if (status === 404) return undefined;
  const { etag, 'content-length': length = '' } = headers;
  if (etag === undefined || !/^\d{1,15}$/.test(length)) throw unreadable(what, 'it has no ETag or no size');
  const encrypted =
    headers['x-amz-server-side-encryption'] === 'aws:kms' ||
    'x-amz-server-side-encryption-customer-algorithm' in headers;
  const modifiedAt = Date.parse(headers['last-modified'] ?? '');
  return {
    object: { address, bytes: Number(length), version: etag },
    encrypted,
    modifiedAt: Number.isNaN(modifiedAt) ? undefined : modifiedAt,
  };
}
