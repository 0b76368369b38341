import { isUtf8 } from 'node:buffer';
import type { ApiAnswer, ApiRequest, Expected } from '../core/api.ts';
import { EXIT, type ExitCode } from '../core/exit-codes.ts';
import { Failure } from '../core/failure.ts';
import { collectBytes } from '../core/files.ts';
import { isUsableId } from '../core/ids.ts';
import {
  decodeJson,
  Exact,
  isObject,
  type Json,
  type JsonObject,
  JsonSyntaxError,
  memberOf,
  numberOf,
  stringOf,
} from '../core/json.ts';
import { berth, lines, type Message, sentence } from '../core/message.ts';
import { safeText } from '../core/safe-text.ts';
import type { Bytes } from '../core/unit-types.ts';
import { checkHint, type RequestFacts } from './problem.ts';
import { type Stage, type WireAnswer, WireError } from './transport.ts';

/** Holds only a few chunks in memory. Fails with WireError (`answered`) for data that does not decode. */
export async function* decodeBody(body: WireAnswer['body'], encoding = ''): AsyncGenerator<Uint8Array> {
  const chunks = !Buffer.isBuffer(body) ? body : body.byteLength === 0 ? [] : [body];
  const name = encoding.trim().toLowerCase();
  if (name === '' || name === 'identity') {
    yield* chunks;
    return;
  }
  if (name !== 'gzip' && name !== 'br')
    throw new WireError('answered', 'the answer is encoded in a way that was not asked for');
  const [zlib, { Readable, pipeline }] = await Promise.all([import('node:zlib'), import('node:stream')]);
  const decoder = name === 'gzip' ? zlib.createGunzip() : zlib.createBrotliDecompress();
  try {
    yield* pipeline(Readable.from(chunks), decoder, () => undefined) as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (error instanceof WireError) throw error;
    throw new WireError('answered', 'the compressed answer is damaged or breaks off', error);
  }
}

/** Returns undefined beyond `maxBytes`, and stops reading there. Fails with WireError. */
export const readBody = (
  body: WireAnswer['body'],
  encoding: string | undefined,
  maxBytes: Bytes,
): Promise<Buffer | undefined> => collectBytes(decodeBody(body, encoding), maxBytes);

/** Returns a clause without a full stop. No other code decides what a valid answer is. */
function mismatchOf(value: Json, expected: Expected, id: string | undefined): string | undefined {
  if (expected === 'anything' || expected === 'bytes') return undefined;
  if (expected === 'chunks' && Array.isArray(value)) return undefined;
  if (!isObject(value)) return `the answer is ${kindOf(value)} where an object belongs`;
  if (isProblem(value)) return 'the answer reports an error, and its status reports success';
  if (typeof expected === 'object')
    return 'list' in expected ? listProblem(value, expected.list) : hasProblem(value, expected.has, id);
  switch (expected) {
    case 'nothing':
      return hasError(value) ? 'the answer reports an error, and its status reports success' : aboutAnother(value, id);
    case 'created':
      return idProblem(memberOf(value, 'id'));
    case 'resource':
      return idProblem(memberOf(value, 'id')) ?? aboutAnother(value, id);
    case 'object':
    case 'chunks':
      return aboutAnother(value, id);
  }
}

const listProblem = (value: JsonObject, name: string): string | undefined =>
  Array.isArray(memberOf(value, name)) ? undefined : `the answer has no list of ${JSON.stringify(name)}`;

function hasProblem(value: JsonObject, name: string, asked: string | undefined): string | undefined {
  const member = memberOf(value, name);
  if ((stringOf(member) ?? numberOf(member)) === undefined) return `the answer has no ${JSON.stringify(name)}`;
  return asked === undefined ? undefined : (idProblem(memberOf(value, 'id')) ?? aboutAnother(value, asked));
}

function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (value instanceof Exact) return 'a number';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

/** A problem document (RFC 9457) without its content type. A job's `status` is a string, never a number. */
const isProblem = (value: JsonObject): boolean =>
  (numberOf(memberOf(value, 'status')) ?? 0) >= 400 &&
  (stringOf(memberOf(value, 'title')) ?? stringOf(memberOf(value, 'detail'))) !== undefined;

function hasError(value: JsonObject): boolean {
  const error = memberOf(value, 'error');
  return error !== undefined && error !== null && error !== false && error !== '';
}

function idProblem(id: Json | undefined): string | undefined {
  if (id === undefined || id === null) return 'the answer has no id';
  const text = stringOf(id);
  if (text === undefined) return `the id in the answer is ${kindOf(id)}, not a string`;
  return isUsableId(text) ? undefined : `the answer has ${shown(text)} for an id`;
}

/** Ignores case. Names count too, because a service may accept a name and answer with both. */
function aboutAnother(value: JsonObject, asked: string | undefined): string | undefined {
  const id = memberOf(value, 'id');
  if (asked === undefined || id === undefined || id === null) return undefined;
  for (const name of [id, memberOf(value, 'name'), memberOf(value, 'displayName')])
    if (typeof name !== 'object' && String(name).toLowerCase() === asked.toLowerCase()) return undefined;
  const said = typeof id === 'object' ? 'something else' : shown(String(id));
  return `asked about ${shown(asked)}, the service answered about ${said}`;
}

const shown = (text: string): string => `"${safeText(text).slice(0, 100)}"`;

/** Lost: a problem document, not UTF-8, not JSON, or not what the request expects. */
export function parseAnswer(
  { status, headers }: Pick<WireAnswer, 'status' | 'headers'>,
  bytes: Buffer,
  request: ApiRequest,
): ApiAnswer | LostAnswer {
  const { id, method, expects: expected = method === 'DELETE' ? 'nothing' : 'object' } = request;
  if (expected === 'bytes') return { status, headers, text: '', value: undefined, bytes };
  const type = headers['content-type'] ?? '';
  if (/^application\/problem\+/i.test(type))
    return lost(`the status is ${String(status)}, and the body is a problem document`, true);
  if (!isUtf8(bytes)) return lost('the answer is not valid UTF-8', false);
  const source = bytes.toString();
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
  if (text.trim() === '') {
    // 204 and 205 say that the request succeeded and that there is no content.
    const mayBeEmpty = expected === 'anything' || (expected === 'object' && method !== 'GET');
    const isBodiless = status === 204 || status === 205;
    return expected === 'nothing' || method === 'DELETE' || (isBodiless && mayBeEmpty)
      ? { status, headers, text: '', value: undefined }
      : lost('the answer is empty where JSON belongs', true);
  }
  let value: Json;
  try {
    value = decodeJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    if (expected === 'anything' && !/json/i.test(type)) return { status, headers, text, value: undefined };
    // What many programs write for a number that JSON does not have: the text is complete so far.
    const [number] = /^(?:NaN|Infinity)\b/.exec(text.slice(error.offset, error.offset + 9)) ?? [];
    if (number === undefined) return lost('the answer is not JSON, or breaks off', false);
    const byte = Buffer.byteLength(text.slice(0, error.offset)) + 1;
    return { ...lost(`the answer is not JSON at byte ${byte}: ${number}`, true), notJson: true };
  }
  const mismatch = mismatchOf(value, expected, id);
  return mismatch === undefined ? { status, headers, text, value } : lost(mismatch, true);
}

export const lost = (reason: string, final: boolean): LostAnswer => ({
  kind: 'lost',
  stage: 'answered',
  reason,
  final,
  unreadable: final,
});

export interface LostAnswer {
  readonly kind: 'lost';
  readonly stage: Stage;
  readonly reason: string;
  readonly final: boolean;
  /** The answer came complete and cannot be used. */
  readonly unreadable?: boolean;
  readonly certificate?: boolean;
  /** It holds a number that JSON does not have. */
  readonly notJson?: boolean;
  /** Nothing is at the address: see `WireError.absent`. */
  readonly absent?: boolean;
}

/** The failure for a lost answer: exit 7 when nothing can have changed, 8 when a write may have been carried out. */
export function lostFailure(lost: LostAnswer, request: RequestFacts): Failure {
  const { host } = new URL(request.name.url);
  const failure = (code: string, exit: ExitCode, message: string, hint: Message): Failure =>
    new Failure({ code, exit, message: `${message}: ${lost.reason}`, hint, request: request.name, id: request.id });
  if (lost.certificate === true)
    return failure(
      'certificate',
      EXIT.unavailable,
      `the certificate of ${host} is not accepted`,
      sentence`Nothing was sent. Check the address and the clock of this machine: ${berth`doctor`}.`,
    );
  if (lost.stage === 'not-sent')
    return failure(
      'unavailable',
      EXIT.unavailable,
      `could not reach ${host}`,
      sentence`Nothing was sent. Check the address and the network: ${berth`doctor`}.`,
    );
  if (request.write)
    return failure(
      'outcome-unknown',
      EXIT.unknown,
      `the request was sent to ${host}, and no readable answer came`,
      checkHint(request),
    );
  return failure(
    lost.notJson === true ? 'not-json' : lost.unreadable === true ? 'unreadable' : 'unavailable',
    EXIT.unavailable,
    `no readable answer came from ${host}`,
    sentence`Nothing changed. Try again later. Check the service: ${berth`doctor`}.`,
  );
}

/** The interrupt's own failure. When it interrupted a write that was already sent, the hint says so. */
export function interruptFailure(reason: unknown, error: unknown, request: RequestFacts): unknown {
  const wasSent = request.write && error instanceof WireError && error.stage !== 'not-sent';
  if (!(reason instanceof Failure) || !wasSent) return reason;
  const hint = lines(reason.hint, sentence`The request had been sent. ${checkHint(request)}`);
  return reason.with({ hint, id: reason.id ?? request.id });
}
