import type { FaultPoint } from '../../core/fault-kinds.ts';
import { errorCode } from '../../core/files.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import { latencyOf, type FaultedRequest, type TakenFaults } from '../http/faults.ts';
import type { LocalAnswer, LocalRequest } from '../http/operation.ts';
import { dateOf, decoded, errorAnswer, noSpace, ObjectError, xmlAnswer } from './answers.ts';
import { contentOf } from './content.ts';
import { answerInstead, cutAnswer, pointsOf } from './faults.ts';
import { OPERATIONS, operationOf } from './operations.ts';
import { checkSignature, queryPairs } from './signature.ts';
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
  const operation = operationOf(request, bucket, key, parameters);
  const faults = await takeFaults(pointsOf(operation), request);
  const now = time();
  const region = checkSignature(request, now + latencyOf(faults, 'files-clock'));
  const instead = answerInstead(faults);
  if (instead !== undefined) return instead;
  if (operation === undefined)
    throw new ObjectError(501, 'NotImplemented', 'The service does not have this operation.');
  const answerCall = async (): Promise<LocalAnswer> => {
    if (operation === 'ListBuckets') return listBuckets(folders, region);
    const volume = await folders.open(bucket, region);
    volume.showUntil(now);
    const openSource = (source: string) => folders.open(source, region);
    const content = contentOf(request);
    return OPERATIONS[operation]({ request, volume, bucket, key, parameters, content, openSource, now, faults });
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

function ofFileSystem(error: unknown): ObjectError | undefined {
  const code = errorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return noSpace();
  return code === 'ENAMETOOLONG' ? new ObjectError(400, 'KeyTooLongError', 'The key is too long.') : undefined;
}
