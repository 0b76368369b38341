import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type EpochMs, HOUR_MS, type Milliseconds } from '../../core/unit-types.ts';
import type { LocalRequest } from '../http/operation.ts';
import { decoded, ObjectError } from './answers.ts';

/** Public by design, like the keys of the local service: local services only accept them. */
export const LOCAL_STORAGE_KEY = {
  accessKeyId: 'berth-local-access',
  secretAccessKey: 'berth-local-secret',
} as const;

/** How far a client's clock may be off (storage contract, Credentials). */
const MAX_SKEW_MS: Milliseconds = HOUR_MS;

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** Whether a request is one for the S3-compatible interface: only it signs like this. */
export const isSigned = ({ headers }: Pick<LocalRequest, 'headers'>): boolean =>
  headers['authorization']?.startsWith(`${ALGORITHM} `) === true;

const FORM =
  /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/(\d{8})\/([^/,]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

/** Returns the region, the id of a data center. Refuses another key, a wrong clock, a wrong signature. */
export function checkSignature(request: LocalRequest, now: EpochMs): string {
  const [, accessKey = '', date = '', region = '', names = '', signature = ''] =
    FORM.exec(request.headers['authorization'] ?? '') ?? [];
  if (signature === '')
    throw new ObjectError(400, 'AuthorizationHeaderMalformed', 'The authorization header is malformed.');
  if (accessKey !== LOCAL_STORAGE_KEY.accessKeyId)
    throw new ObjectError(403, 'InvalidAccessKeyId', 'The access key does not exist in our records.');
  const time = request.headers['x-amz-date'] ?? '';
  const sentAt = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (Number.isNaN(sentAt) || !time.startsWith(date))
    throw new ObjectError(403, 'AccessDenied', 'The request has no valid x-amz-date.');
  if (Math.abs(now - sentAt) > MAX_SKEW_MS)
    throw new ObjectError(403, 'RequestTimeTooSkewed', 'The time of the request is too far from that of the service.');
  const scope = `${date}/${region}/s3/aws4_request`;
  const first: string | Buffer = `AWS4${LOCAL_STORAGE_KEY.secretAccessKey}`;
  const key = scope.split('/').reduce((before: string | Buffer, part) => hmac(before, part), first);
  const digest = createHash('sha256')
    .update(canonical(request, names.split(';')))
    .digest('hex');
  const expected = hmac(key, [ALGORITHM, time, scope, digest].join('\n')).toString('hex');
  if (!timingSafeEqual(Buffer.from(expected), Buffer.from(signature)))
    throw new ObjectError(
      403,
      'SignatureDoesNotMatch',
      'The signature is not that of this request: check the secret and how the request is signed.',
    );
  return region;
}

function canonical({ method, path, query, headers, origin }: LocalRequest, names: readonly string[]): string {
  const all: Readonly<Record<string, string>> = { host: new URL(origin).host, ...headers };
  const signed = names.map((name) => `${name}:${(all[name] ?? '').trim().replace(/ {2,}/g, ' ')}`);
  const content = headers['x-amz-content-sha256'] ?? '';
  return [method, path, canonicalQuery(query), ...signed, '', names.join(';'), content].join('\n');
}

const canonicalQuery = (query: string): string =>
  queryPairs(query)
    .map(([name, value]) => [encodeStrictly(name), encodeStrictly(value)] as const)
    .sort(([one, first], [other, second]) => compare(one, other) || compare(first, second))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

/** A plus stays a plus: signed requests encode a space as `%20`. */
export const queryPairs = (query: string): readonly (readonly [string, string])[] =>
  query
    .slice(1)
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', ...value] = part.split('=');
      return [decoded(name), decoded(value.join('='))];
    });

const encodeStrictly = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
