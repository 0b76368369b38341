import type { Address } from '../core/addresses.ts';
import type { ApiRequest, QueryValue, RequestPreview } from '../core/api.ts';
import { usage } from '../core/failure.ts';
import { isUsableId } from '../core/ids.ts';
import { encodeJson, isObject, type Json, jsonOrText } from '../core/json.ts';
import type { Milliseconds } from '../core/unit-types.ts';
import type { RequestFacts } from './problem.ts';

type Query = Readonly<Record<string, QueryValue>>;

/** Only place that builds addresses. Encodes each segment once. Usage (2) for one `isUsableId` refuses. */
export function joinAddress(base: Address, segments: readonly string[], query: Query = {}): string {
  let path = '';
  for (const segment of segments) {
    if (!isUsableId(segment))
      throw usage(`${JSON.stringify(segment)} is not an id or name`, 'Pass the id as it was printed.');
    path += `/${encodeURIComponent(segment)}`;
  }
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    const values: readonly (string | number | boolean)[] =
      value === undefined ? [] : typeof value === 'object' ? value : [value];
    return values.map((each) => `${encode(name, 'a query name')}=${encode(String(each), `the value of ${name}`)}`);
  });
  return `${base.origin}${base.prefix}${path === '' ? '/' : path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
}

function encode(text: string, what: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw usage(`${what} is not valid Unicode text`, 'Pass it as it was printed.');
  }
}

export interface UnsignedRequest {
  readonly method: ApiRequest['method'];
  readonly url: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What all attempts of one request share. */
export interface Call extends UnsignedRequest {
  readonly request: ApiRequest;
  readonly body: Uint8Array | undefined;
  /** Redacted in everything that the service answers. */
  readonly key: string;
  readonly deadlineMs: Milliseconds;
}

/** Headers that frame the message or contain the key. Callers must not set them. */
const RESERVED_HEADERS =
  /^(authorization|proxy-authorization|host|connection|content-length|transfer-encoding|upgrade|expect|keep-alive|te|trailer)$/;

/** Fails with usage (2) for a path segment or header that could change the request. */
export function prepare(request: ApiRequest, base: Address, userAgent: string): UnsignedRequest {
  const headers: Record<string, string> = {
    accept: 'application/json, application/problem+json',
    'accept-encoding': 'gzip, br',
    'user-agent': userAgent,
  };
  if (request.body !== undefined) headers['content-type'] = 'application/json';
  for (const [name, value] of Object.entries(request.headers ?? {}))
    headers[headerName(name)] = headerValue(name, value);
  return { method: request.method, url: joinAddress(base, request.path, request.query), headers };
}

const REQUEST_ID = 'x-request-id';

interface Signing {
  readonly body: ApiRequest['body'];
  readonly requestId: string;
  readonly traceHeaders: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs: Milliseconds;
}

/** Headers that the caller set replace those of the run. */
export function signed(request: ApiRequest, unsigned: UnsignedRequest, key: string, signing: Signing): Call {
  const { method, url } = unsigned;
  const { body, requestId, traceHeaders, timeoutMs } = signing;
  const headers = { ...traceHeaders, [REQUEST_ID]: requestId, ...unsigned.headers, authorization: `Bearer ${key}` };
  const bytes = body === undefined ? undefined : bytesOf(body);
  return { request, method, url, headers, body: bytes, key, deadlineMs: request.deadlineMs ?? timeoutMs };
}

/** What failures say of a call. */
export function factsOf({ method, url, headers, request }: Call): RequestFacts {
  const { id, checkCommand, repeatable = method === 'GET' } = request;
  return {
    name: { method, url, id: headers[REQUEST_ID] ?? '' },
    write: method !== 'GET',
    repeatable,
    id,
    checkCommand,
  };
}

export function previewOf({ body }: ApiRequest, { method, url, headers }: UnsignedRequest): RequestPreview {
  const shown = { method, url, headers: { ...headers, authorization: 'Bearer ***' } };
  return body === undefined ? shown : { ...shown, body: jsonOrText(Buffer.from(bytesOf(body)).toString()) };
}

function headerName(name: string): string {
  const lower = name.toLowerCase();
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(lower)) throw usage(`${JSON.stringify(name)} is not a header name`);
  if (RESERVED_HEADERS.test(lower))
    throw usage(`the header ${lower} cannot be given`, 'berth sets it itself, from the settings and the request.');
  return lower;
}

function headerValue(name: string, value: string): string {
  if (/^[\t\x20-\x7e\x80-\xff]*$/u.test(value)) return value;
  throw usage(
    `invalid value of the header ${name.toLowerCase()}`,
    'Use tabs and printable characters up to U+00FF only.',
  );
}

const isRaw = (body: Json | { readonly raw: Uint8Array }): body is { readonly raw: Uint8Array } =>
  isObject(body) && body['raw'] instanceof Uint8Array;

const bytesOf = (body: Json | { readonly raw: Uint8Array }): Uint8Array =>
  isRaw(body) ? body.raw : Buffer.from(encodeJson(body));
