import type { EpochMs } from '../../core/unit-types.ts';
import { latencyOf, type TakenFaults } from '../http/faults.ts';
import type { LocalAnswer, LocalRequest } from '../http/operation.ts';
import { answer, dateOf, decoded, numberOf, ObjectError, xmlAnswer } from './answers.ts';
import { encoderOf, limitIn, listingOf, type Parameters } from './listing.ts';
import {
  completeUpload,
  createUpload,
  findUpload,
  listParts,
  listUploads,
  parseParts,
  removeUpload,
  writePart,
} from './uploads.ts';
import { MAX_PUT_BYTES, tooLarge, type Volume } from './volume.ts';

export interface ObjectCall {
  readonly request: LocalRequest;
  readonly volume: Volume;
  readonly bucket: string;
  /** Decoded; empty for the volume itself. */
  readonly key: string;
  readonly parameters: Parameters;
  /** The body without frames, checked as it is read. */
  readonly content: AsyncIterable<Uint8Array>;
  readonly openSource: (bucket: string) => Promise<Volume>;
  /** The time of this machine. */
  readonly now: EpochMs;
  readonly faults: TakenFaults;
}

const UNSUPPORTED =
  /^(?:acl|attributes|cors|delete|encryption|legal-hold|lifecycle|location|object-lock|policy|restore|retention|select|tagging|torrent|versioning|versions|website)$/;

/** Undefined for an operation that the service does not have (storage contract, Supported). */
export function operationOf(
  { method, headers }: LocalRequest,
  bucket: string,
  key: string,
  parameters: Parameters,
): OperationName | undefined {
  if ([...parameters.keys()].some((name) => UNSUPPORTED.test(name))) return undefined;
  if (bucket === '') return method === 'GET' ? 'ListBuckets' : undefined;
  const isPart = parameters.has('uploadId');
  const isCopy = headers['x-amz-copy-source'] !== undefined;
  const list = parameters.get('list-type') === '2' ? 'ListObjectsV2' : 'ListObjects';
  const ofVolume: Names = { HEAD: 'HeadBucket', GET: parameters.has('uploads') ? 'ListMultipartUploads' : list };
  const ofPart: Names = {
    GET: 'ListParts',
    PUT: isCopy ? undefined : 'UploadPart',
    POST: 'CompleteMultipartUpload',
    DELETE: 'AbortMultipartUpload',
  };
  const ofFile: Names = {
    HEAD: 'HeadObject',
    GET: 'GetObject',
    PUT: isCopy ? 'CopyObject' : 'PutObject',
    POST: parameters.has('uploads') ? 'CreateMultipartUpload' : undefined,
    DELETE: 'DeleteObject',
  };
  return (key === '' ? ofVolume : isPart ? ofPart : ofFile)[method];
}

export type OperationName = keyof typeof OPERATIONS | 'ListBuckets';
type Names = Readonly<Record<string, OperationName | undefined>>;

const listObjects = async ({ volume, bucket, parameters, faults }: ObjectCall): Promise<LocalAnswer> =>
  xmlAnswer('ListBucketResult', await listingOf(volume, bucket, parameters, faults.has('files-same-token')));

async function readFile({ volume, key, request: { method, headers } }: ObjectCall): Promise<LocalAnswer> {
  const file = await volume.find(key);
  const { etag, bytes, modifiedAt } = file;
  const { 'if-match': wanted = '*', range: wantedRange } = headers;
  if (!wanted.split(',').some((each) => ['*', etag].includes(each.trim())))
    throw new ObjectError(412, 'PreconditionFailed', 'The file has another ETag.');
  const range = byteRange(wantedRange, bytes);
  const { start, end } = range ?? { start: 0, end: bytes };
  return {
    status: range === undefined ? 200 : 206,
    headers: {
      etag,
      'last-modified': new Date(modifiedAt).toUTCString(),
      'accept-ranges': 'bytes',
      'content-type': 'application/octet-stream',
      'content-length': String(end - start),
      ...(range && { 'content-range': `bytes ${String(start)}-${String(end - 1)}/${String(bytes)}` }),
    },
    body: method === 'HEAD' ? '' : volume.read(file, start, end),
  };
}

/** Undefined for a form not supported: ignored (RFC 9110, 14.2). Throws for a range past the end. */
function byteRange(header = '', bytes: number): { readonly start: number; readonly end: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header) ?? [];
  if (first === '' && last === '') return undefined;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  if (start >= bytes) throw new ObjectError(416, 'InvalidRange', 'The requested range is not satisfiable.');
  return { start, end: first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1) };
}

/** Faults: the file is shown later, or lost. */
async function spoil({ volume, key, faults, now }: ObjectCall): Promise<void> {
  if (faults.has('files-late')) volume.hide(key, now + latencyOf(faults, 'files-late'));
  if (faults.has('files-lost')) await volume.remove(key);
}

async function putObject(call: ObjectCall): Promise<LocalAnswer> {
  const { volume, key, content, request } = call;
  const length = numberOf(request.headers['x-amz-decoded-content-length'] ?? request.headers['content-length'] ?? '0');
  if (length > MAX_PUT_BYTES) throw tooLarge();
  // Refused before the content is read.
  volume.take(length);
  volume.free(length);
  const { etag } = await volume.write(key, content);
  await spoil(call);
  return answer(200, { etag });
}

async function copyObject({ volume, key, request, openSource }: ObjectCall): Promise<LocalAnswer> {
  const [bucket = '', ...path] = decoded(request.headers['x-amz-copy-source'] ?? '')
    .replace(/^\//, '')
    .split('/');
  const from = await openSource(bucket);
  const file = await from.find(path.join('/'));
  const { modifiedAt, etag } = await volume.write(key, from.read(file, 0, file.bytes));
  return xmlAnswer('CopyObjectResult', { LastModified: dateOf(modifiedAt), ETag: etag });
}

const uploadOf = ({ volume, key, parameters }: ObjectCall) => findUpload(volume, parameters.get('uploadId') ?? '', key);

async function completeMultipartUpload(call: ObjectCall): Promise<LocalAnswer> {
  const { volume, bucket, key, content, request, faults } = call;
  const upload = await uploadOf(call);
  const parts = await parseParts(content);
  const ETag = faults.has('files-no-complete') ? '""' : (await completeUpload(volume, upload, parts)).etag;
  await spoil(call);
  const Location = `${request.origin}${request.path}`;
  return xmlAnswer('CompleteMultipartUploadResult', { Location, Bucket: bucket, Key: key, ETag });
}

async function listPartsOfUpload(call: ObjectCall): Promise<LocalAnswer> {
  const { volume, bucket, key, parameters } = call;
  const upload = await uploadOf(call);
  const after = numberOf(parameters.get('part-number-marker') ?? '0');
  const limit = limitIn(parameters, 'max-parts');
  const left = (await listParts(volume, upload)).filter(({ number }) => number > after);
  const page = left.slice(0, limit);
  return xmlAnswer('ListPartsResult', {
    Bucket: bucket,
    Key: encoderOf(parameters)(key),
    UploadId: upload.id,
    PartNumberMarker: after,
    NextPartNumberMarker: page.at(-1)?.number ?? after,
    MaxParts: limit,
    IsTruncated: left.length > limit,
    Part: page.map(({ number, bytes, md5, modifiedAt }) => ({
      PartNumber: number,
      LastModified: dateOf(modifiedAt),
      ETag: `"${md5}"`,
      Size: bytes,
    })),
  });
}

async function listMultipartUploads({ volume, bucket, parameters }: ObjectCall): Promise<LocalAnswer> {
  const { prefix = '', 'key-marker': keyMarker = '', 'upload-id-marker': idMarker } = Object.fromEntries(parameters);
  const encode = encoderOf(parameters);
  const limit = limitIn(parameters, 'max-uploads');
  // No key has a NUL; without an id all uploads of the key are over.
  const marker = `${keyMarker}\0${idMarker ?? '~'}`;
  const left = (await listUploads(volume))
    .map((upload) => ({ ...upload, place: `${upload.key}\0${upload.id}` }))
    .filter(({ key, place }) => key.startsWith(prefix) && place > marker)
    .sort((one, other) => (one.place < other.place ? -1 : 1));
  const page = left.slice(0, limit);
  return xmlAnswer('ListMultipartUploadsResult', {
    Bucket: bucket,
    Prefix: encode(prefix),
    KeyMarker: encode(keyMarker),
    MaxUploads: limit,
    IsTruncated: left.length > limit,
    NextKeyMarker: encode(page.at(-1)?.key ?? ''),
    NextUploadIdMarker: page.at(-1)?.id ?? '',
    Upload: page.map(({ id, key, startedAt }) => ({
      Key: encode(key),
      UploadId: id,
      Initiated: dateOf(startedAt),
      StorageClass: 'STANDARD',
    })),
  });
}

export const OPERATIONS = {
  HeadBucket: () => Promise.resolve(answer(200)),
  ListObjects: listObjects,
  ListObjectsV2: listObjects,
  HeadObject: readFile,
  GetObject: readFile,
  PutObject: putObject,
  CopyObject: copyObject,
  DeleteObject: async ({ volume, key }) => {
    await volume.remove(key);
    return answer(204);
  },
  CreateMultipartUpload: async ({ volume, bucket, key, now }) => {
    const { id } = await createUpload(volume, key, now);
    return xmlAnswer('InitiateMultipartUploadResult', { Bucket: bucket, Key: key, UploadId: id });
  },
  UploadPart: async (call) => {
    const number = numberOf(call.parameters.get('partNumber') ?? '');
    return answer(200, { etag: await writePart(call.volume, await uploadOf(call), number, call.content) });
  },
  CompleteMultipartUpload: completeMultipartUpload,
  AbortMultipartUpload: async (call) => {
    await removeUpload(call.volume, await uploadOf(call));
    return answer(204);
  },
  ListMultipartUploads: listMultipartUploads,
  ListParts: listPartsOfUpload,
} satisfies Readonly<Record<string, (call: ObjectCall) => Promise<LocalAnswer>>>;
