import { createHash, createHmac } from 'node:crypto';
import type { Address } from '../core/addresses.ts';
import { usage } from '../core/failure.ts';
import type { EpochMs } from '../core/unit-types.ts';

/** No part is ever shown. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface S3Connection {
  readonly endpoint: Address;
  readonly region: string;
  readonly bucket: string;
  readonly credentials: Credentials;
  /** Where the address and the key come from, for messages: names of variables. */
  readonly from: { readonly address: string; readonly key: string };
}

interface UnsignedRequest {
  readonly method: string;
  readonly origin: string;
  /** Encoded: it is signed and sent unchanged. */
  readonly path: string;
  /** Not encoded. */
  readonly query: Readonly<Record<string, string>>;
  /** Names are in lower case. All of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  /** The SHA-256 of the body in hexadecimal, or UNSIGNED. */
  readonly payloadHash: string;
}

export const UNSIGNED = 'UNSIGNED-PAYLOAD';

/** AWS Signature Version 4. */
export function signRequest(request: UnsignedRequest, credentials: Credentials, region: string, date: EpochMs) {
  const { method, origin, path, payloadHash } = request;
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const time = new Date(date).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const headers: Record<string, string> = {
    ...request.headers,
    'x-amz-content-sha256': payloadHash,
    'x-amz-date': time,
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
  };
  const query = sorted(request.query, encodeStrictly).map(([name, value]) => `${encodeStrictly(name)}=${value}`);
  const signed = sorted({ ...headers, host: new URL(origin).host }, (text) => text.trim().replace(/ {2,}/g, ' '));
  const names = signed.map(([name]) => name).join(';');
  const lines = [...signed.map(([name, value]) => `${name}:${value}`), '', names, payloadHash];
  const canonical = [method, path, query.join('&'), ...lines].join('\n');
  const key = scope.split('/').reduce<string | Buffer>((last, part) => hmac(last, part), `AWS4${secretAccessKey}`);
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')).toString('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return {
    url: `${origin}${path}${query.length === 0 ? '' : `?${query.join('&')}`}`,
    headers: { ...headers, authorization },
  };
}

/** By their encoded names. */
const sorted = (members: Readonly<Record<string, string>>, map: (value: string) => string) =>
  Object.entries(members)
    .map(([name, value]) => [name, map(value)] as const)
    .toSorted(([one], [other]) => (encodeStrictly(one) < encodeStrictly(other) ? -1 : 1));

export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

export const md5 = (data: Uint8Array): Buffer => createHash('md5').update(data).digest();

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** All bytes but letters, digits and `-._~` become `%XX`. */
export const encodeStrictly = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);

export const pathOf = (bucket: string, key: string): string =>
  `/${bucket}/${key.split('/').map(encodeStrictly).join('/')}`;

/** Usage (2) for a key that cannot be sent unchanged: HTTP clients resolve `.` and `..` in a path. */
export function checkKey(address: string, key: string): void {
  const isUsable =
    key !== '' &&
    !key.split('/').some((part) => part === '.' || part === '..') &&
    !/\p{Cs}/u.test(key) &&
    Buffer.byteLength(key) <= 1024;
  if (!isUsable)
    throw usage(
      `invalid path ${JSON.stringify(address)}: it must be valid Unicode of at most 1024 bytes without "." or ".." between slashes`,
      'Rename the file.',
    );
}
