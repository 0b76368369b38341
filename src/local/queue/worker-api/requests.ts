import { isObject } from '../../../core/json.ts';
import { badRequest, tooLarge } from '../../contract/problem.ts';
import type { Call } from '../../http/operation.ts';
import { MAX_OUTPUT_BYTES, numberNotJson, outputTooLarge } from '../../model/job-output.ts';
import { memberText } from '../api/documents.ts';
import type { Result } from '../protocol/results.ts';
import type { TakeRequest } from '../protocol/takes.ts';

export const MAX_BATCH = 1000;

/** Characters. */
export const MAX_WORKER_ID_LENGTH = 128;

export type Report =
  { readonly kind: 'progress'; readonly text: string | undefined } | (Result & { readonly kind: 'result' });

/** Fails with Problem 400 when it is too long. */
export function readWorkerId({ params }: Call): string {
  const id = params['workerId'] ?? '';
  if (id.length > MAX_WORKER_ID_LENGTH)
    throw badRequest(`the worker id has more than ${String(MAX_WORKER_ID_LENGTH)} characters`);
  return id;
}

/** Fails with Problem 400 for a wrong number. */
export function readTake(call: Call, isBatch: boolean): TakeRequest {
  const size = call.query.get('batch_size');
  if (isBatch && (size === null || !/^[1-9]\d{0,8}$/.test(size)))
    throw badRequest('batch_size must be a whole number from 1');
  return {
    workerId: readWorkerId(call),
    count: isBatch ? Math.min(MAX_BATCH, Number(size)) : 1,
    isWorking: call.query.get('job_in_progress') !== '0',
  };
}

/** Ignores the content type: the library sends a form's. Problem 400, or 413 for too large an output. */
export function readReport(call: Call): Report {
  const body = readBody(call);
  const output = 'output' in body ? memberText(call.bodyText, 'output') : undefined;
  const bytes = output === undefined ? 0 : Buffer.byteLength(output);
  if (bytes > MAX_OUTPUT_BYTES) throw tooLarge(outputTooLarge(bytes));
  if (body['status'] === 'IN_PROGRESS') return { kind: 'progress', text: output };
  return {
    kind: 'result',
    outcome: hasError(body) ? { kind: 'error', error: errorText(call, body) } : { kind: 'output', text: output },
    isStream: call.query.get('isStream') === 'true',
    isLeaving: body['stopPod'] === true,
  };
}

/** Fails with Problem 400 when the body is not a JSON object with `output`. */
export function readChunk(call: Call): string {
  const body = readBody(call);
  if (!('output' in body)) throw badRequest('the body needs the member output');
  return memberText(call.bodyText, 'output');
}

const hasError = ({ error }: Readonly<Record<string, unknown>>): boolean => error !== undefined && error !== null;

/** A text as it is, any other value as JSON. */
const errorText = (call: Call, { error }: Readonly<Record<string, unknown>>): string =>
  typeof error === 'string' ? error : memberText(call.bodyText, 'error');

function readBody({ bodyText }: Call): Readonly<Record<string, unknown>> {
  let body: unknown;
  try {
    body = JSON.parse(bodyText);
  } catch {
    const wrong = numberNotJson(bodyText);
    throw badRequest(`the body is not JSON${wrong === undefined ? '' : `: it has ${wrong}`}`);
  }
  if (!isObject(body)) throw badRequest('the body must be a JSON object');
  return body;
}
