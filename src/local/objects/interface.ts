import type { LocalAnswer, LocalRequest } from '../http/call/request-and-answer.ts';
import { errorDocument, notImplemented, ObjectError } from './object-error.ts';
import { answerCall } from './operations.ts';
import { contentOf } from './request-body.ts';
import { checkSignature, queryPairs, type Signed } from './signature.ts';
import type { VolumeFolders } from './volumes.ts';
import { element, xmlDocument } from './xml.ts';

/** Answers a request of the S3-compatible interface. `now` is the time of this machine in milliseconds. */
export async function answerObjectRequest(
  folders: VolumeFolders,
  request: LocalRequest,
  now: number,
): Promise<LocalAnswer> {
  try {
    return await answerSigned(folders, request, checkSignature(request, now), now);
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

/** The refusal that an error of the disk is to a client. */
function ofFileSystem(error: unknown): ObjectError | undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new ObjectError(507, 'InsufficientStorage', 'There is no space left on the volume.');
  return code === 'ENAMETOOLONG' ? new ObjectError(400, 'KeyTooLongError', 'The key is too long.') : undefined;
}

async function answerSigned(
  folders: VolumeFolders,
  request: LocalRequest,
  signed: Signed,
  now: number,
): Promise<LocalAnswer> {
  const [bucket = '', ...rest] = request.path.slice(1).split('/');
  if (bucket === '') return listBuckets(folders, signed.region, request.method);
  const key = decodedKey(rest.join('/'));
  // Volumes are created and deleted by the management API.
  if (key === '' && (request.method === 'PUT' || request.method === 'DELETE')) throw notImplemented();
  const volume = await folders.open(bucket, signed.region);
  return answerCall({
    request,
    volume,
    bucket,
    key,
    parameters: new Map(queryPairs(request.query)),
    content: contentOf(request, signed),
    openSource: (source) => folders.open(source, signed.region),
    now,
  });
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
