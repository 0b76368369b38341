import type { ApiRequest, RequestPreview } from '../core/api.ts';
import { EXIT } from '../core/exit-codes.ts';
import { Failure, usage } from '../core/failure.ts';
import { decodeJson, encodeJson, isObject, type Json } from '../core/json.ts';
import { parseKeyAddress } from '../core/address.ts';
import { joinAddress } from './path.ts';

/** A request ready to go out but for the key. */
export interface Prepared {
  readonly method: ApiRequest['method'];
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** Headers that frame the message or carry the key: not the caller's to set. */
const OURS =
  /^(authorization|proxy-authorization|host|connection|content-length|transfer-encoding|upgrade|expect|keep-alive|te|trailer)$/;

/**
 * Turns what a command states into what goes on the wire. Fails with usage (2), before anything is sent: an address
 * that cannot be used or would carry the key in the clear, a path segment or header that could change the request.
 */
export function prepare(request: ApiRequest, address: string, userAgent: string): Prepared {
  const what = `the ${request.service} address`;
  const base = parseKeyAddress(address, what);
  const url = joinAddress(base, request.path, request.query);
  const headers: Record<string, string> = {
    accept: 'application/json, application/problem+json',
    'accept-encoding': 'gzip, br',
    'user-agent': userAgent,
    ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...Object.fromEntries(Object.entries(request.headers ?? {}).map(checkedHeader)),
  };
  return { method: request.method, url, headers, body: bytesOf(request.body) };
}

/** The headers with the key. Fails with denied (3), never repeating it, where it cannot be one. */
export function withKey(headers: Readonly<Record<string, string>>, key: string): Record<string, string> {
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new Failure({
      code: 'bad-key',
      exit: EXIT.denied,
      message: 'the key is empty or holds characters that no key has',
      hint: 'Copy it again from the web console: berth auth login.',
    });
  return { ...headers, authorization: `Bearer ${key}` };
}

/** Exit 3, with both ways on. */
export const noKey = (): Failure =>
  new Failure({
    code: 'no-key',
    exit: EXIT.denied,
    message: 'no API key is configured',
    hint: 'Log in: berth auth login. Or try it without an account, on the local service: add --local.',
  });

/** A prepared request as it may be shown. A body that is not JSON is shown as the text it is. */
export function previewOf(prepared: Prepared): RequestPreview {
  const { method, url, headers, body } = prepared;
  const shown = { ...headers, authorization: 'Bearer ***' };
  return { method, url, headers: shown, ...(body === undefined ? {} : { body: readable(body) }) };
}

function checkedHeader([name, value]: [string, string]): [string, string] {
  const lower = name.toLowerCase();
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(lower)) throw usage(`${JSON.stringify(name)} is not a header name`);
  if (OURS.test(lower))
    throw usage(`the header ${lower} cannot be given`, 'berth sets it itself, from the settings and the request.');
  const [bad] = /[^\t\x20-\x7e\x80-\xff]/u.exec(value) ?? [];
  if (bad !== undefined)
    throw usage(
      `the value of the header ${lower} holds ${characterName(bad)}, which no header may`,
      'Leave it out. A header takes tabs and printable characters up to U+00FF.',
    );
  return [lower, value];
}

/** `U+000A, a control character`; never the character itself. */
function characterName(character: string): string {
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  return /\p{Cc}/u.test(character) ? `${code}, a control character` : code;
}

const isRaw = (body: Json | { readonly raw: Uint8Array }): body is { readonly raw: Uint8Array } =>
  isObject(body as Json) && (body as { raw?: unknown }).raw instanceof Uint8Array;

/** The bytes that a body goes out as; undefined where there is none. */
export function bytesOf(body: ApiRequest['body']): Uint8Array | undefined {
  if (body === undefined) return undefined;
  return isRaw(body) ? body.raw : Buffer.from(encodeJson(body));
}

function readable(body: Uint8Array): Json {
  const text = Buffer.from(body).toString();
  try {
    return decodeJson(text);
  } catch {
    return text;
  }
}
