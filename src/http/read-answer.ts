import { isUtf8 } from 'node:buffer';
import type { ApiAnswer, ApiRequest } from '../core/api.ts';
import { tryDecodeJson } from '../core/json.ts';
import { formatBytes } from '../core/units.ts';
import { readBody } from './wire/decode-body.ts';
import type { LostAnswer } from './policy/lost-answer.ts';
import { expectedOf, mismatchOf } from './expected-answer.ts';
import type { WireAnswer } from './wire/transport.ts';

/**
 * Reads the whole body of a 2xx answer and checks it. The answer is lost when it is larger than `maxBytes`, or when
 * `parseAnswer` refuses it. Fails with WireError when the body breaks off.
 */
export async function readAnswer(
  answer: WireAnswer,
  request: ApiRequest,
  maxBytes: number,
): Promise<ApiAnswer | LostAnswer> {
  const { status, headers } = answer;
  const bytes = await readBody(answer.body, headers['content-encoding'], maxBytes);
  return bytes === undefined
    ? lost(`the answer is larger than ${formatBytes(maxBytes)}`, true)
    : parseAnswer({ status, headers }, bytes, request);
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
  const type = headers['content-type'] ?? '';
  if (/^application\/problem\+/i.test(type))
    return lost(`the status is ${String(status)}, and the body is a problem document`, true);
  if (!isUtf8(bytes)) return lost('the answer is not valid UTF-8', false);
  const text = bytes.toString().replace(/^\uFEFF/, '');
  const expected = expectedOf(request);
  if (text.trim() === '') {
    // 204 and 205 say that the request succeeded and that there is no content.
    const complete =
      expected === 'nothing' || request.method === 'DELETE' || (isBodiless(status) && mayBeBodiless(request));
    return complete
      ? { status, headers, text: '', value: undefined }
      : lost('the answer is empty where JSON belongs', true);
  }
  const value = tryDecodeJson(text);
  if (value === undefined) {
    // A body with a JSON content type that does not parse may be incomplete.
    const isText = expected === 'anything' && !/json/i.test(type);
    return isText ? { status, headers, text, value } : lost('the answer is not JSON, or breaks off', false);
  }
  const mismatch = mismatchOf(value, request);
  return mismatch === undefined ? { status, headers, text, value } : lost(mismatch, true);
}

const isBodiless = (status: number): boolean => status === 204 || status === 205;

const mayBeBodiless = (request: ApiRequest): boolean => {
  const expected = expectedOf(request);
  return expected === 'anything' || (expected === 'object' && request.method !== 'GET');
};

const lost = (reason: string, final: boolean): LostAnswer => ({ kind: 'lost', stage: 'answered', reason, final });
