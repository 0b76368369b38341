import { isUtf8 } from 'node:buffer';
import type { ApiAnswer, ApiRequest } from '../../core/api.ts';
import { decodeJson, JsonSyntaxError, type Json } from '../../core/json.ts';
import { formatBytes } from '../../core/units.ts';
import { readBody } from './decode-body.ts';
import type { Lost } from '../policy/deadline.ts';
import { expectedOf, mismatchOf } from '../expected-answer.ts';
import type { WireAnswer } from './transport.ts';

/**
 * Reads a success to its end. It is lost when it cannot be used: larger than `maxBytes`, or as toAnswer says.
 * Fails with WireError where the body breaks off.
 */
export async function readAnswer(answer: WireAnswer, request: ApiRequest, maxBytes: number): Promise<ApiAnswer | Lost> {
  const { status, headers } = answer;
  const bytes = await readBody(answer.body, headers['content-encoding'], maxBytes);
  return bytes === undefined
    ? lost(`the answer is larger than ${formatBytes(maxBytes)}`, true)
    : toAnswer({ status, headers }, bytes, request);
}

/**
 * The answer that a whole body, decoded, makes of a success. It is lost when it is a problem document, not UTF-8, not
 * JSON, or not what the request expects.
 */
export function toAnswer(
  { status, headers }: Pick<WireAnswer, 'status' | 'headers'>,
  bytes: Buffer,
  request: ApiRequest,
): ApiAnswer | Lost {
  const type = headers['content-type'] ?? '';
  if (/^application\/problem\+/i.test(type))
    return lost(`the status is ${String(status)}, and the body is a problem document`, true);
  if (!isUtf8(bytes)) return lost('the answer is not valid UTF-8', false);
  const text = bytes.toString().replace(/^\uFEFF/, '');
  const expected = expectedOf(request);
  if (text.trim() === '') {
    // 204 and 205 say that the request was carried out and that there is nothing to tell.
    const complete =
      expected === 'nothing' || request.method === 'DELETE' || (isBodiless(status) && mayBeBodiless(request));
    return complete
      ? { status, headers, text: '', value: undefined }
      : lost('the answer is empty where JSON belongs', true);
  }
  const value = decoded(text);
  if (value === undefined) {
    // What claims to be JSON and is not may have broken off.
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

const lost = (reason: string, final: boolean): Lost => ({ kind: 'lost', stage: 'answered', reason, final });

function decoded(text: string): Json | undefined {
  try {
    return decodeJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
