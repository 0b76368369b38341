import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type Bytes, type EpochMs, HOUR_MS, type Milliseconds } from '../../core/unit-types.ts';
import type { LocalAnswer, LocalRequest } from '../http/operation.ts';

/** Replaces control characters that XML 1.0 cannot carry. */
const escaped = (text: string): string =>
  text
    // oxlint-disable-next-line no-control-regex -- they are not allowed in XML
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"\r]/g, (found) => `&#${String(found.charCodeAt(0))};`);

type Content = string | number | boolean | Members;

/** What an element has: an array repeats its element, and what is undefined is left out. */
export interface Members {
  readonly [name: string]: Content | readonly Members[] | undefined;
}

const element = (name: string, content: Content, attributes = ''): string =>
  `<${name}${attributes}>${typeof content === 'object' ? xmlOf(content) : escaped(String(content))}</${name}>`;

const xmlOf = (members: Members): string =>
  Object.entries(members)
    .flatMap(([name, content = []]) => [content].flat().map((each) => element(name, each)))
    .join('');

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMESPACE = ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';
const XML = { 'content-type': 'application/xml' };

export const answer = (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): LocalAnswer => ({
  status,
  headers,
  body,
});

export const xmlAnswer = (root: string, members: Members): LocalAnswer =>
  answer(200, XML, DECLARATION + element(root, members, NAMESPACE));

export class ObjectError extends Error {
  override readonly name = 'ObjectError';
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const noSuchKey = (): ObjectError => new ObjectError(404, 'NoSuchKey', 'The specified key does not exist.');

export const invalidArgument = (message: string): ObjectError => new ObjectError(400, 'InvalidArgument', message);

export const noSpace = (): ObjectError =>
  new ObjectError(507, 'InsufficientStorage', 'There is no space left on the volume.');

/** Without the name space, as clients expect of errors. */
export const errorAnswer = ({ status, code, message }: ObjectError, resource: string): LocalAnswer =>
  answer(status, XML, DECLARATION + element('Error', { Code: code, Message: message, Resource: resource }));

/** Throws the refusal of other text. */
export function numberOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw invalidArgument(`${text} is not a number.`);
  return Number(text);
}

/** Throws the refusal of an address that is not UTF-8. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ObjectError(400, 'InvalidURI', 'The address is not valid UTF-8.');
  }
}

export const dateOf = (milliseconds: number): string => new Date(milliseconds).toISOString();

const UNSIGNED = 'UNSIGNED-PAYLOAD';
const CHUNKED = /^STREAMING-(?:UNSIGNED|AWS4-HMAC-SHA256)-PAYLOAD(?:-TRAILER)?$/;

const MAX_CHUNK_BYTES: Bytes = 64 * 1024 * 1024;
const MAX_LINE_BYTES: Bytes = 8192;

/** The body without frames. Reading throws the refusal of another digest, perhaps only at the end. */
export async function* contentOf({ headers, body }: LocalRequest): AsyncGenerator<Uint8Array> {
  const { 'x-amz-content-sha256': form = '', 'content-md5': givenMd5 } = headers;
  const isDigest = /^[0-9a-f]{64}$/.test(form);
  const isChunked = CHUNKED.test(form);
  if (!isDigest && !isChunked && form !== UNSIGNED)
    throw new ObjectError(400, 'InvalidRequest', 'x-amz-content-sha256 has a value that is not supported.');
  const [sha256, md5] = [createHash('sha256'), createHash('md5')];
  const chunks = body === undefined || body instanceof Uint8Array ? [body ?? Buffer.alloc(0)] : body;
  for await (const chunk of isChunked ? withoutFrames(chunks) : chunks) {
    if (isDigest) sha256.update(chunk);
    if (givenMd5 !== undefined) md5.update(chunk);
    yield chunk;
  }
  if (isDigest && sha256.digest('hex') !== form)
    throw new ObjectError(400, 'XAmzContentSHA256Mismatch', 'The content does not match its signed digest.');
  if (givenMd5 !== undefined && md5.digest('base64') !== givenMd5)
    throw new ObjectError(400, 'BadDigest', 'The content does not match its Content-MD5.');
}

/** Each chunk is `SIZE;chunk-signature=...`, then the data; the lines after the last one are skipped. */
async function* withoutFrames(body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Buffer = Buffer.alloc(0);
  let size: Bytes | undefined;
  for await (const part of body) {
    if (size === 0) continue;
    held = held.byteLength === 0 ? Buffer.from(part) : Buffer.concat([held, part]);
    for (;;) {
      if (size === undefined) {
        const end = held.indexOf('\r\n');
        if (end < 0 && held.byteLength > MAX_LINE_BYTES) throw incomplete();
        if (end < 0) break;
        size = sizeIn(held.subarray(0, end).toString('latin1'));
        held = held.subarray(end + 2);
      }
      if (size === 0 || held.byteLength < size + 2) break;
      if (held.subarray(size, size + 2).toString('latin1') !== '\r\n') throw incomplete();
      yield held.subarray(0, size);
      held = held.subarray(size + 2);
      size = undefined;
    }
  }
  if (size !== 0) throw incomplete();
}

function sizeIn(line: string): Bytes {
  const bytes = Number.parseInt(/^([0-9a-f]{1,8})(?:;|$)/i.exec(line)?.[1] ?? '', 16);
  if (Number.isNaN(bytes) || bytes > MAX_CHUNK_BYTES) throw incomplete();
  return bytes;
}

const incomplete = (): ObjectError =>
  new ObjectError(400, 'IncompleteBody', 'The body ended early, or does not have the form that its headers name.');

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
