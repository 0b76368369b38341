import { usage } from '../../core/failure.ts';

export interface ObjectName {
  readonly bucket: string;
  readonly key: string;
}

const SCHEME = 's3://';

export const isObjectAddress = (address: string): boolean => address.startsWith(SCHEME);

export const addressOf = (bucket: string, key: string): string => `${SCHEME}${bucket}/${key}`;

/** Parses `s3://bucket/key`. Fails with usage (2) for a name that cannot be sent unchanged. */
export function parseObjectAddress(address: string): ObjectName {
  const { bucket, rest: key } = splitAddress(address);
  if (key === '') throw usage(`${JSON.stringify(address)} names no object`, 'Write s3://BUCKET/KEY.');
  if (!isUsableKey(key))
    throw usage(
      `${JSON.stringify(address)} cannot be used: a key may not have "." or ".." between slashes, and must be valid Unicode of at most 1024 bytes`,
      'Rename the object.',
    );
  return { bucket, key };
}

/** Splits an address after its bucket; what follows may be empty. Fails with usage (2) when there is no bucket. */
export function splitAddress(address: string): { readonly bucket: string; readonly rest: string } {
  const slash = address.indexOf('/', SCHEME.length);
  const bucket = address.slice(SCHEME.length, slash < 0 ? undefined : slash);
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/.test(bucket))
    throw usage(`${JSON.stringify(address)} has no valid name of a bucket`, 'Write s3://BUCKET/KEY.');
  return { bucket, rest: slash < 0 ? '' : address.slice(slash + 1) };
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
