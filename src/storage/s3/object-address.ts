import { usage } from '../../core/failure.ts';
import type { Bytes } from '../../core/unit-types.ts';

/** An object as it was when it was listed, described or written. */
export interface StoredObject {
  /** `s3://bucket/key` */
  readonly address: string;
  readonly bytes: Bytes;
  /** Its ETag: another one means another content. */
  readonly version: string;
}

export interface ObjectName {
  readonly bucket: string;
  readonly key: string;
}

const SCHEME = 's3://';

export const addressOf = (bucket: string, key: string): string => `${SCHEME}${bucket}/${key}`;

/** Parses `s3://bucket/key`. Fails with usage (2) for a name that cannot be sent unchanged. */
export function parseObjectAddress(address: string): ObjectName {
  const slash = address.indexOf('/', SCHEME.length);
  const [bucket, key] = [address.slice(SCHEME.length, slash), address.slice(slash + 1)];
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/.test(bucket))
    throw usage(`${JSON.stringify(address)} has no valid name of a bucket`);
  if (!isUsableKey(key))
    throw usage(
      `${JSON.stringify(address)} cannot be used: a key may not have "." or ".." between slashes, and must be valid Unicode of at most 1024 bytes`,
      'Rename the object.',
    );
  return { bucket, key };
}

/** Clients of HTTP resolve `.` and `..` in a path, so a key with them would name another object. */
const isUsableKey = (key: string): boolean =>
  key !== '' && !key.split('/').some((part) => part === '.' || part === '..') && hasValidLength(key);

const hasValidLength = (key: string): boolean => !/\p{Cs}/u.test(key) && Buffer.byteLength(key) <= 1024;

/** Encodes text as signed requests need it: all bytes but letters, digits and `-._~` become `%XX`. */
export const encodeStrictly = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);

export const pathOf = (bucket: string, key: string): string =>
  `/${bucket}/${key.split('/').map(encodeStrictly).join('/')}`;
