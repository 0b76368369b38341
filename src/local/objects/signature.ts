import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type EpochMs, HOUR_MS } from '../../core/unit-types.ts';
import type { LocalRequest } from '../http/operation.ts';
import { ObjectError } from './answers.ts';

/** Public by design, like the keys of the local service: local services only accept them. */
export const LOCAL_STORAGE_KEY = {
  accessKeyId: 'berth-local-access',
  secretAccessKey: 'berth-local-secret',
} as const;

/** How far a client's clock may be off, in milliseconds (storage contract, Credentials). */
const MAX_SKEW_MS = HOUR_MS;

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** Whether a request is one for the S3-compatible interface: only it signs like this. */
export const isSigned = ({ headers }: Pick<LocalRequest, 'headers'>): boolean =>
  headers['authorization']?.startsWith(`${ALGORITHM} `) === true;

export interface Signed {
  /** The region that it was signed for: the id of a data center. */
  readonly region: string;
  /** The value of `x-amz-content-sha256`: a digest, or how the body is sent. */
  readonly content: string;
  readonly signature: string;
  readonly signChunk: (previous: string, chunk: Uint8Array) => string;
}

const FORM =
  /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/(\d{8})\/([^/,]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

/** Throws the refusal of another key, a clock off by more than an hour, or a wrong signature. */
export function checkSignature(request: LocalRequest, now: EpochMs): Signed {
  const [, accessKey = '', date = '', region = '', names = '', signature = ''] =
    FORM.exec(request.headers['authorization'] ?? '') ?? [];
  if (signature === '')
    throw new ObjectError(400, 'AuthorizationHeaderMalformed', 'The authorization header is malformed.');
  if (accessKey !== LOCAL_STORAGE_KEY.accessKeyId)
    throw new ObjectError(403, 'InvalidAccessKeyId', 'The access key does not exist in our records.');
  const time = request.headers['x-amz-date'] ?? '';
  const sentAt = timeOf(time);
  if (sentAt === undefined || !time.startsWith(date))
    throw new ObjectError(403, 'AccessDenied', 'The request has no valid x-amz-date.');
  if (Math.abs(now - sentAt) > MAX_SKEW_MS)
    throw new ObjectError(
      403,
      'RequestTimeTooSkewed',
      'The difference between the time of the request and that of the service is too large.',
    );
  const content = request.headers['x-amz-content-sha256'] ?? '';
  const scope = `${date}/${region}/s3/aws4_request`;
  const key = [date, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${LOCAL_STORAGE_KEY.secretAccessKey}`,
  );
  const sign = (text: string): string => hmac(key, text).toString('hex');
  const expected = sign([ALGORITHM, time, scope, sha256(canonical(request, names.split(';'), content))].join('\n'));
  if (content === '' || !timingSafeEqual(Buffer.from(expected), Buffer.from(signature)))
    throw new ObjectError(
      403,
      'SignatureDoesNotMatch',
      'The signature is not that of this request: check the secret and how the request is signed.',
    );
  return {
    region,
    content,
    signature,
    signChunk: (previous, chunk) =>
      sign([`${ALGORITHM}-PAYLOAD`, time, scope, previous, sha256(''), sha256(chunk)].join('\n')),
  };
}

function canonical({ method, path, query, headers, origin }: LocalRequest, names: readonly string[], content: string) {
  const all: Readonly<Record<string, string>> = { host: new URL(origin).host, ...headers };
  const signed = names.map((name) => `${name}:${(all[name] ?? '').trim().replace(/ {2,}/g, ' ')}`);
  return [method, path, canonicalQuery(query), ...signed, '', names.join(';'), content].join('\n');
}

const canonicalQuery = (query: string): string =>
  queryPairs(query)
    .map(([name, value]) => [encodeStrictly(name), encodeStrictly(value)] as const)
    .sort(([one, first], [other, second]) => (one === other ? compare(first, second) : compare(one, other)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

/** A plus stays a plus: signed requests encode a space as `%20`. */
export const queryPairs = (query: string): readonly (readonly [string, string])[] =>
  query
    .slice(1)
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.indexOf('=');
      return at < 0 ? [decoded(part), ''] : [decoded(part.slice(0, at)), decoded(part.slice(at + 1))];
    });

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ObjectError(400, 'InvalidURI', 'The request has an address that cannot be decoded.');
  }
}

const encodeStrictly = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function timeOf(time: string): number | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
