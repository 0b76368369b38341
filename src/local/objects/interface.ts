import type { FaultPoint } from '../../core/fault-kinds.ts';
import { errorCode } from '../../core/files.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import { type FaultedRequest, latencyOf, type TakenFaults } from '../http/faults.ts';
import type { LocalAnswer, LocalRequest } from '../http/operation.ts';
import { operationOf } from './operations.ts';
import {
  answer,
  checkSignature,
  contentOf,
  dateOf,
  decoded,
  errorAnswer,
  noSpace,
  ObjectError,
  queryPairs,
  xmlAnswer,
} from './request.ts';
import type { VolumeFolders } from './volumes.ts';

export interface ObjectPorts {
  readonly folders: VolumeFolders;
  readonly takeFaults: (points: readonly FaultPoint[], request: FaultedRequest) => Promise<TakenFaults>;
  readonly sleep: (milliseconds: Milliseconds) => Promise<void>;
  /** The time of this machine, not that of the service, which may be moved: clients' clocks are checked. */
  readonly time: () => EpochMs;
}

/** A request of the S3-compatible interface of volumes (storage contract). */
export async function answerObjectRequest(ports: ObjectPorts, request: LocalRequest): Promise<LocalAnswer> {
  try {
    return await answerSigned(ports, request);
  } catch (error) {
    const refused = error instanceof ObjectError ? error : ofFileSystem(error);
    if (refused === undefined) throw error;
    const answered = errorAnswer(refused, request.path);
    return request.method === 'HEAD' ? { ...answered, body: '' } : answered;
  }
}

async function answerSigned({ folders, takeFaults, sleep, time }: ObjectPorts, request: LocalRequest) {
  const [bucket = '', ...rest] = request.path.slice(1).split('/');
  const key = decoded(rest.join('/'));
  const parameters = new Map(queryPairs(request.query));
  const isOfAll = bucket === '' && request.method === 'GET';
  const operation = bucket === '' ? undefined : operationOf(request, key, parameters);
  const points: readonly FaultPoint[] = isOfAll ? ['files-list', 'files-body'] : (operation?.points ?? []);
  const faults = await takeFaults(['files', ...points], request);
  const now = time();
  const region = checkSignature(request, now + latencyOf(faults, 'files-clock'));
  if (faults.has('files-denied')) throw new ObjectError(403, 'AccessDenied', 'Access Denied.');
  if (faults.has('files-full')) throw noSpace();
  const failed = faults.get('files-error');
  if (failed !== undefined) return gatewayFailed(failed.status ?? 502);
  const answerCall = async (): Promise<LocalAnswer> => {
    if (isOfAll) return listBuckets(folders, region);
    if (operation === undefined)
      throw new ObjectError(501, 'NotImplemented', 'The service does not have this operation.');
    const volume = await folders.open(bucket, region);
    volume.showUntil(now);
    const openSource = (source: string) => folders.open(source, region);
    const content = contentOf(request);
    return operation.run({ request, volume, bucket, key, parameters, content, openSource, now, faults });
  };
  const answered = await answerCall();
  const delay = latencyOf(faults, 'files-slow-list') + latencyOf(faults, 'files-slow-complete');
  if (delay > 0) await sleep(delay);
  return faults.has('files-cut') ? cutAnswer(answered) : answered;
}

async function listBuckets(folders: VolumeFolders, region: string): Promise<LocalAnswer> {
  const volumes = await folders.of(region);
  return xmlAnswer('ListAllMyBucketsResult', {
    Owner: { ID: 'local', DisplayName: 'local' },
    Buckets: { Bucket: volumes.map(({ id, createdAt }) => ({ Name: id, CreationDate: dateOf(createdAt) })) },
  });
}

function gatewayFailed(status: number): LocalAnswer {
  const page = `<html><head><title>${String(status)}</title></head><body>The gateway failed.</body></html>`;
  return answer(status, { 'content-type': 'text/html' }, page);
}

/** Half of the content with a normal end: only the size shows that it is truncated. */
function cutAnswer(whole: LocalAnswer): LocalAnswer {
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

function ofFileSystem(error: unknown): ObjectError | undefined {
  const code = errorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return noSpace();
  return code === 'ENAMETOOLONG' ? new ObjectError(400, 'KeyTooLongError', 'The key is too long.') : undefined;
}
