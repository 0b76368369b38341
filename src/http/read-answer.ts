import { isUtf8 } from 'node:buffer';
import type { ApiAnswer, ApiRequest } from '../core/api.ts';
import { decodeJson, JsonSyntaxError, type Json } from '../core/json.ts';
import { formatBytes } from '../core/units.ts';
import { readBody } from './message/decode-body.ts';
import type { LostAnswer } from './policy/lost-answer.ts';
import { expectedOf, mismatchOf } from './expected-answer.ts';
import type { WireAnswer } from './message/transport.ts';

/**
 * Reads the whole body of a 2xx answer and checks it. The answer is lost when it is larger than `maxBytes`, or when
 * `parseAnswer` refuses it. A body that is complete and has no encoding is read at once. Fails with WireError when the
 * body breaks off.
 */
export function readAnswer(
  answer: WireAnswer,
  request: ApiRequest,
  maxBytes: number,
): ApiAnswer | LostAnswer | Promise<ApiAnswer | LostAnswer> {
  const { body, headers } = answer;
  const encoding = headers['content-encoding'];
  const check = (bytes: Buffer | undefined): ApiAnswer | LostAnswer =>
    bytes === undefined
      ? lost(`the answer is larger than ${formatBytes(maxBytes)}`, true)
      : parseAnswer(answer, bytes, request);
  return Buffer.isBuffer(body) && encoding === undefined
    ? check(body.byteLength > maxBytes ? undefined : body)
    : readBody(body, encoding, maxBytes).then(check);
}

/**
 * Parses the decoded body of a 2xx answer. The answer is lost when the body is a problem document, not UTF-8, not JSON,
 * or not what the request expects.
 */
function parseAnswer(
  { status, headers }: Pick<WireAnswer, 'status' | 'headers'>,
  bytes: Buffer,
  request: ApiRequest,
): ApiAnswer | LostAnswer {
  const expected = expectedOf(request);
  if (expected === 'bytes') return { status, headers, text: '', value: undefined, bytes };
  const type = headers['content-type'] ?? '';
  if (/^application\/problem\+/i.test(type))
    return lost(`the status is ${String(status)}, and the body is a problem document`, true);
  if (!isUtf8(bytes)) return lost('the answer is not valid UTF-8', false);
  const source = bytes.toString();
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
  if (text.trim() === '') {
    // 204 and 205 say that the request succeeded and that there is no content.
    const complete =
      expected === 'nothing' || request.method === 'DELETE' || (isBodiless(status) && mayBeBodiless(request));
    return complete
      ? { status, headers, text: '', value: undefined }
      : lost('the answer is empty where JSON belongs', true);
  }
  let value: Json;
  try {
    value = briefAnswer(text) ?? decodeJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    if (expected === 'anything' && !/json/i.test(type)) return { status, headers, text, value: undefined };
    const number = notJsonNumber(text, error.offset);
    if (number === undefined) return lost('the answer is not JSON, or breaks off', false);
    const byte = bytes.length - Buffer.byteLength(text.slice(number.index)) + 1;
    return lost(`the answer is not JSON at byte ${byte}: ${number[0]}`, true);
  }
  const mismatch = mismatchOf(value, request);
  return mismatch === undefined ? { status, headers, text, value } : lost(mismatch, true);
}

/** What many programs write for a number that JSON does not have, where the parser stopped: the text is complete so far. */
function notJsonNumber(text: string, offset: number): RegExpExecArray | undefined {
  const number = /-?(?:NaN|Infinity)\b/y;
  number.lastIndex = text[offset - 1] === '-' ? offset - 1 : offset;
  return number.exec(text) ?? undefined;
}

/** The usual answer to a submission: an object with two texts that have no escapes. */
const BRIEF_ANSWER = /^\{"id":"([\w-]+)","status":"(\w+)"\}$/;

/** Decodes the usual answer to a submission, which a batch gets thousands of times a second. Undefined for any other text. */
function briefAnswer(text: string): Json | undefined {
  if (text.length > MAX_BRIEF_LENGTH) return undefined;
  const [, id, status] = BRIEF_ANSWER.exec(text) ?? [];
  return id === undefined || status === undefined ? undefined : { id, status };
}

const MAX_BRIEF_LENGTH = 200;

const isBodiless = (status: number): boolean => status === 204 || status === 205;

const mayBeBodiless = (request: ApiRequest): boolean => {
  const expected = expectedOf(request);
  return expected === 'anything' || (expected === 'object' && request.method !== 'GET');
};

const lost = (reason: string, final: boolean): LostAnswer => ({
  kind: 'lost',
  stage: 'answered',
  reason,
  final,
  unreadable: final,
});
