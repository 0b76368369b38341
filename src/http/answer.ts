import type { ApiAnswer, ApiRequest } from '../core/api.ts';
import { decodeJson, JsonSyntaxError, type Json } from '../core/json.ts';
import { formatBytes } from '../core/units.ts';
import { readBody } from './decode.ts';
import type { Lost } from './exchange.ts';
import type { WireAnswer } from './transport.ts';

/**
 * Reads a success to its end. It is lost when it cannot be used: larger than `maxBytes`, empty where JSON belongs, or
 * not JSON. A DELETE needs no body, and a request that brought its own `accept` takes any text
 * that does not call itself JSON.
 * Fails with WireError where the body breaks off.
 */
export async function readAnswer(answer: WireAnswer, request: ApiRequest, maxBytes: number): Promise<ApiAnswer | Lost> {
  const { status, headers } = answer;
  const bytes = await readBody(answer.body, headers['content-encoding'], maxBytes);
  return bytes === undefined
    ? lost(`the answer is larger than ${formatBytes(maxBytes)}`, true)
    : toAnswer({ status, headers }, bytes, request);
}

/** The answer that a whole body, decoded, makes of a success; lost as readAnswer says. */
export function toAnswer(
  { status, headers }: Pick<WireAnswer, 'status' | 'headers'>,
  bytes: Buffer,
  request: ApiRequest,
): ApiAnswer | Lost {
  const text = bytes.toString().replace(/^\uFEFF/, '');
  const free = request.method === 'DELETE' || bringsAccept(request);
  if (text.trim() === '')
    return status === 204 || status === 205 || free
      ? { status, headers, text: '', value: undefined }
      : lost('the answer is empty where JSON belongs', true);
  const value = decoded(text);
  // What says that it is JSON has to be, or it broke off.
  return value !== undefined || (free && !/json/i.test(headers['content-type'] ?? ''))
    ? { status, headers, text, value }
    : lost('the answer is not JSON, or breaks off', false);
}

const bringsAccept = ({ headers }: ApiRequest): boolean =>
  headers !== undefined && Object.keys(headers).some((name) => name.toLowerCase() === 'accept');

const lost = (reason: string, final: boolean): Lost => ({ kind: 'lost', stage: 'answered', reason, final });

function decoded(text: string): Json | undefined {
  try {
    return decodeJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
