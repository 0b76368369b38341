import type { FaultPoint } from '../../core/fault-kinds.ts';
import type { LocalAnswer } from '../http/operation.ts';
import type { TakenFaults } from '../http/faults.ts';
import { answer, noSpace, ObjectError } from './answers.ts';

const POINTS: Readonly<Record<string, readonly FaultPoint[]>> = {
  ListObjects: ['files-list', 'files-body'],
  ListObjectsV2: ['files-list', 'files-body'],
  ListBuckets: ['files-list', 'files-body'],
  GetObject: ['files-body'],
  PutObject: ['files-content', 'files-write'],
  CopyObject: ['files-content'],
  UploadPart: ['files-content'],
  CompleteMultipartUpload: ['files-write', 'files-complete'],
};

export const pointsOf = (operation = ''): readonly FaultPoint[] => ['files', ...(POINTS[operation] ?? [])];

/** Undefined where the request is carried out. Throws the refusal of a fault. */
export function answerInstead(faults: TakenFaults): LocalAnswer | undefined {
  if (faults.has('files-denied')) throw new ObjectError(403, 'AccessDenied', 'Access Denied.');
  if (faults.has('files-full')) throw noSpace();
  const failed = faults.get('files-error');
  if (failed === undefined) return undefined;
  const { status = 502 } = failed;
  const page = `<html><head><title>${String(status)}</title></head><body>The gateway failed.</body></html>`;
  return answer(status, { 'content-type': 'text/html' }, page);
}

/** Half of the content with a normal end: only the size shows that it is truncated. */
export function cutAnswer(whole: LocalAnswer): LocalAnswer {
  const { headers, body } = whole;
  if (typeof body === 'string') return { ...whole, body: body.slice(0, body.length / 2) };
  const { 'content-length': length = '0', ...rest } = headers;
  return { ...whole, headers: rest, body: firstBytes(body, Math.floor(Number(length) / 2)) };
}

async function* firstBytes(body: AsyncIterable<string | Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  let left = count;
  for await (const chunk of body) {
    if (left === 0) return;
    const part = Buffer.from(chunk as Uint8Array).subarray(0, left);
    left -= part.byteLength;
    yield part;
  }
}
