import { FAULT_SETTINGS, type FaultKind, type FaultPoint } from '../../core/fault-kinds.ts';
import type { FaultRecord } from '../http/injected-faults.ts';
import type { LocalAnswer, LocalRequest } from '../http/operation.ts';
import { ObjectError } from './answers.ts';
import { queryPairs } from './signature.ts';

export interface FileFaults {
  has(kind: FaultKind): boolean;
  /** 0 where the request does not have the fault. */
  latencyOf(kind: FaultKind): number;
}

const POINTS_OF_EVERY: readonly FaultPoint[] = ['files'];

export function pointsOf({ method, path, query, headers }: LocalRequest): readonly FaultPoint[] {
  const names = new Set(queryPairs(query).map(([name]) => name));
  const isBucket = path.split('/').filter((part) => part !== '').length < 2;
  const isUpload = names.has('uploadId');
  if (method === 'GET' && isBucket && !names.has('uploads')) return ['files', 'files-list', 'files-body'];
  if (method === 'GET' && !isBucket && !isUpload) return ['files', 'files-body'];
  if (method === 'PUT' && isUpload) return ['files', 'files-content'];
  if (method === 'PUT')
    return headers['x-amz-copy-source'] === undefined
      ? ['files', 'files-content', 'files-write']
      : ['files', 'files-content'];
  return method === 'POST' && isUpload ? ['files', 'files-write', 'files-complete'] : POINTS_OF_EVERY;
}

export const fileFaults = (taken: readonly FaultRecord[]): FileFaults => {
  const find = (kind: FaultKind): FaultRecord | undefined => taken.find((fault) => fault.kind === kind);
  return {
    has: (kind) => find(kind) !== undefined,
    latencyOf: (kind) => {
      const fault = find(kind);
      return fault === undefined ? 0 : (fault.latencyMs ?? FAULT_SETTINGS.latencyMs.fallback);
    },
  };
};

/** Undefined where the request is carried out. Throws the refusal of a fault. */
export function answerInstead(faults: readonly FaultRecord[]): LocalAnswer | undefined {
  for (const fault of faults) {
    if (fault.kind === 'files-denied') throw new ObjectError(403, 'AccessDenied', 'Access Denied.');
    if (fault.kind === 'files-full')
      throw new ObjectError(507, 'InsufficientStorage', 'There is no space left on the volume.');
    if (fault.kind === 'files-error') {
      const status = fault.status ?? BAD_GATEWAY;
      return {
        status,
        headers: { 'content-type': 'text/html' },
        body: `<html><head><title>${String(status)}</title></head><body>The gateway failed.</body></html>`,
      };
    }
  }
  return undefined;
}

const BAD_GATEWAY = 502;

/** Half of the content with a normal end: only the size shows that it is truncated. */
export function cutAnswer(answer: LocalAnswer): LocalAnswer {
  const { headers, body } = answer;
  if (typeof body === 'string') return { ...answer, body: body.slice(0, body.length / 2) };
  const { 'content-length': length = '0', ...rest } = headers;
  return { ...answer, headers: rest, body: firstBytes(body, Math.floor(Number(length) / 2)) };
}

async function* firstBytes(
  body: AsyncIterable<string | Uint8Array>,
  count: number,
): AsyncGenerator<string | Uint8Array> {
  let left = count;
  for await (const chunk of body) {
    if (left === 0) return;
    const part = Buffer.from(chunk as Uint8Array).subarray(0, left);
    left -= part.byteLength;
    yield part;
  }
}
