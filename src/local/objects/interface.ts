import type { LocalAnswer, LocalRequest } from '../http/operation.ts';
import { element, errorDocument, notImplemented, ObjectError, xmlDocument } from './answers.ts';
import { answerCall } from './operations.ts';
import { answerInstead, cutAnswer, fileFaults, type FileFaults, pointsOf } from './faults-of-files.ts';
import { contentOf } from './request-body.ts';
import type { ObjectPorts, VolumeFolders } from './volumes.ts';
import { checkSignature, queryPairs, type Signed } from './signature.ts';
import type { Volume } from './volume.ts';
import { errorCode } from '../../core/files.ts';

export async function answerObjectRequest(ports: ObjectPorts, request: LocalRequest): Promise<LocalAnswer> {
  try {
    const taken = await ports.takeFaultsAt(pointsOf(request), request);
    const faults = fileFaults(taken);
    const signed = checkSignature(request, ports.time() + faults.latencyOf('files-clock'));
    const instead = answerInstead(taken);
    if (instead !== undefined) return instead;
    const answer = await answerSigned(ports, request, signed, faults);
    await waitFor(ports, faults.latencyOf('files-slow-list') + faults.latencyOf('files-slow-complete'));
    return faults.has('files-cut') ? cutAnswer(answer) : answer;
  } catch (error) {
    const refused = error instanceof ObjectError ? error : ofFileSystem(error);
    if (refused === undefined) throw error;
    return {
      status: refused.status,
      headers: { 'content-type': 'application/xml' },
      body: request.method === 'HEAD' ? '' : errorDocument(refused, request.path),
    };
  }
}

async function waitFor({ sleep }: ObjectPorts, milliseconds: number): Promise<void> {
  if (milliseconds > 0) await sleep(milliseconds);
}

function ofFileSystem(error: unknown): ObjectError | undefined {
  const code = errorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new ObjectError(507, 'InsufficientStorage', 'There is no space left on the volume.');
  return code === 'ENAMETOOLONG' ? new ObjectError(400, 'KeyTooLongError', 'The key is too long.') : undefined;
}

async function answerSigned(
  { folders, time }: ObjectPorts,
  request: LocalRequest,
  signed: Signed,
  faults: FileFaults,
): Promise<LocalAnswer> {
  const [bucket = '', ...rest] = request.path.slice(1).split('/');
  if (bucket === '') return listBuckets(folders, signed.region, request.method);
  const key = decodedKey(rest.join('/'));
  // Volumes are created and deleted by the management API.
  if (key === '' && (request.method === 'PUT' || request.method === 'DELETE')) throw notImplemented();
  const volume = await folders.open(bucket, signed.region);
  await volume.late.show(time());
  const before = faults.has('files-late') ? await keepFile(volume, key) : undefined;
  const answer = await answerCall({
    request,
    volume,
    bucket,
    key,
    parameters: new Map(queryPairs(request.query)),
    content: contentOf(request, signed),
    openSource: (source) => folders.open(source, signed.region),
    now: time(),
    faults,
  });
  if (answer.status < 300 && faults.has('files-lost')) await volume.remove(key);
  else if (answer.status < 300 && faults.has('files-late'))
    await volume.late.hide((await volume.find(key)).path, time() + faults.latencyOf('files-late'), before);
  return answer;
}

async function keepFile(volume: Volume, key: string): Promise<string | undefined> {
  const found = await volume.find(key).catch(() => undefined);
  return found === undefined ? undefined : volume.late.keep(found.path);
}

async function listBuckets(folders: VolumeFolders, region: string, method: string): Promise<LocalAnswer> {
  if (method !== 'GET') throw new ObjectError(405, 'MethodNotAllowed', 'The method is not allowed here.');
  const found = await folders.of(region);
  const buckets = found.map(({ id, createdAt }) =>
    element('Bucket', [element('Name', id), element('CreationDate', new Date(createdAt).toISOString())]),
  );
  return {
    status: 200,
    headers: { 'content-type': 'application/xml' },
    body: xmlDocument('ListAllMyBucketsResult', [
      element('Owner', [element('ID', 'local'), element('DisplayName', 'local')]),
      element('Buckets', buckets),
    ]),
  };
}

function decodedKey(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new ObjectError(400, 'InvalidURI', 'The key is not valid UTF-8.');
  }
}
