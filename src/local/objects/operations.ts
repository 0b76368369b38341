import type { FaultPoint } from '../../core/fault-kinds.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { latencyOf, type TakenFaults } from '../http/faults.ts';
import type { LocalAnswer, LocalRequest } from '../http/operation.ts';
import { answer, dateOf, decoded, invalidArgument, type Members, numberOf, ObjectError, xmlAnswer } from './request.ts';
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

interface ObjectCall {
  readonly request: LocalRequest;
  readonly volume: Volume;
  readonly bucket: string;
  /** Decoded; empty for the volume itself. */
  readonly key: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** The body without frames, checked as it is read. */
  readonly content: AsyncIterable<Uint8Array>;
  readonly openSource: (bucket: string) => Promise<Volume>;
  /** The time of this machine. */
  readonly now: EpochMs;
  readonly faults: TakenFaults;
}

export interface ObjectOperation {
  readonly points?: readonly FaultPoint[];
  readonly run: (call: ObjectCall) => Promise<LocalAnswer>;
}

const UNSUPPORTED =
  /^(?:acl|attributes|cors|delete|encryption|legal-hold|lifecycle|location|object-lock|policy|restore|retention|select|tagging|torrent|versioning|versions|website)$/;

/** Undefined for an operation that the service does not have (storage contract, Supported). */
export function operationOf(
  { method, headers }: LocalRequest,
  key: string,
  parameters: ObjectCall['parameters'],
): ObjectOperation | undefined {
  if ([...parameters.keys()].some((name) => UNSUPPORTED.test(name))) return undefined;
  const isPart = parameters.has('uploadId');
  if (method === 'PUT' && headers['x-amz-copy-source'] !== undefined)
    return key === '' || isPart ? undefined : CopyObject;
  const what = key === '' ? 'volume' : isPart ? 'upload' : 'file';
  return OPERATIONS[`${method} ${what}${parameters.has('uploads') ? '?uploads' : ''}`];
}

/** Encodes keys where a client asks for it: XML cannot carry every character. */
function encoderOf(parameters: ObjectCall['parameters']): (key: string) => string {
  const encoding = parameters.get('encoding-type');
  if (encoding === undefined) return (key) => key;
  if (encoding !== 'url') throw invalidArgument('The encoding-type can only be url.');
  return (key) => encodeURIComponent(key).replaceAll('%2F', '/').replaceAll("'", '%27');
}

const MAX_ROWS = 1000;

async function listObjects({ volume, bucket, parameters, faults }: ObjectCall): Promise<LocalAnswer> {
  // A fault: a page without a token names a next one, which names itself.
  const isLoop = faults.has('files-same-token');
  const isOld = parameters.get('list-type') !== '2';
  const { prefix = '', delimiter = '', 'continuation-token': token, ...given } = Object.fromEntries(parameters);
  if (delimiter !== '' && delimiter !== '/') throw invalidArgument('The delimiter can only be a slash.');
  const most = isLoop && token === undefined ? 1 : MAX_ROWS;
  const limit = Math.min(most, numberOf(given['max-keys'] ?? String(MAX_ROWS)));
  const start = given[isOld ? 'marker' : 'start-after'] ?? '';
  const after = isOld || token === undefined ? start : keyOfToken(token);
  const encode = encoderOf(parameters);
  const files: Members[] = [];
  const folders: Members[] = [];
  let last = '';
  let isTruncated = isLoop;
  for await (const { key, isPrefix } of volume.list({ prefix, delimiter, after })) {
    if (files.length + folders.length === limit) {
      isTruncated = true;
      break;
    }
    // A file that was removed since its folder was read is left out.
    const file = isPrefix ? undefined : await volume.find(key).catch(() => undefined);
    if (file === undefined && !isPrefix) continue;
    last = key;
    if (file === undefined) folders.push({ Prefix: encode(key) });
    else {
      const { modifiedAt, etag: ETag, bytes: Size } = file;
      files.push({ Key: encode(key), LastModified: dateOf(modifiedAt), ETag, Size, StorageClass: 'STANDARD' });
    }
  }
  isTruncated &&= last !== '';
  const next = isLoop && token !== undefined ? token : Buffer.from(last).toString('base64');
  return xmlAnswer('ListBucketResult', {
    Name: bucket,
    Prefix: encode(prefix),
    MaxKeys: limit,
    Delimiter: delimiter || undefined,
    EncodingType: parameters.get('encoding-type'),
    IsTruncated: isTruncated,
    Contents: files,
    CommonPrefixes: folders,
    ...(isOld
      ? { Marker: encode(start), NextMarker: isTruncated ? encode(last) : undefined }
      : {
          StartAfter: encode(start),
          KeyCount: files.length + folders.length,
          ContinuationToken: token,
          NextContinuationToken: isTruncated ? next : undefined,
        }),
  });
}

function keyOfToken(token: string): string {
  const key = Buffer.from(token, 'base64').toString();
  if (key === '' || Buffer.from(key).toString('base64') !== token)
    throw invalidArgument('The continuation token is not valid.');
  return key;
}

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

/** On one page. */
async function listPartsOfUpload(call: ObjectCall): Promise<LocalAnswer> {
  const { volume, bucket, key, parameters } = call;
  const upload = await uploadOf(call);
  return xmlAnswer('ListPartsResult', {
    Bucket: bucket,
    Key: encoderOf(parameters)(key),
    UploadId: upload.id,
    IsTruncated: false,
    Part: (await listParts(volume, upload)).map(({ number, bytes, md5, modifiedAt }) => ({
      PartNumber: number,
      LastModified: dateOf(modifiedAt),
      ETag: `"${md5}"`,
      Size: bytes,
    })),
  });
}

/** On one page. */
async function listMultipartUploads({ volume, bucket, parameters }: ObjectCall): Promise<LocalAnswer> {
  const { prefix = '' } = Object.fromEntries(parameters);
  const encode = encoderOf(parameters);
  const uploads = (await listUploads(volume)).filter(({ key }) => key.startsWith(prefix));
  return xmlAnswer('ListMultipartUploadsResult', {
    Bucket: bucket,
    Prefix: encode(prefix),
    IsTruncated: false,
    Upload: uploads
      .sort((one, other) => (one.key < other.key ? -1 : 1))
      .map(({ id, key, startedAt }) => ({ Key: encode(key), UploadId: id, Initiated: dateOf(startedAt) })),
  });
}

const CopyObject: ObjectOperation = { points: ['files-content'], run: copyObject };

/** By method and what it is about. */
const OPERATIONS: Readonly<Record<string, ObjectOperation | undefined>> = {
  'HEAD volume': { run: () => Promise.resolve(answer(200)) },
  'GET volume': { points: ['files-list', 'files-body'], run: listObjects },
  'GET volume?uploads': { run: listMultipartUploads },
  'HEAD file': { run: readFile },
  'GET file': { points: ['files-body'], run: readFile },
  'PUT file': { points: ['files-content', 'files-write'], run: putObject },
  'DELETE file': {
    run: async ({ volume, key }) => {
      await volume.remove(key);
      return answer(204);
    },
  },
  'POST file?uploads': {
    run: async ({ volume, bucket, key, now }) => {
      const { id } = await createUpload(volume, key, now);
      return xmlAnswer('InitiateMultipartUploadResult', { Bucket: bucket, Key: key, UploadId: id });
    },
  },
  'GET upload': { run: listPartsOfUpload },
  'PUT upload': {
    points: ['files-content'],
    run: async (call) => {
      const number = numberOf(call.parameters.get('partNumber') ?? '');
      return answer(200, { etag: await writePart(call.volume, await uploadOf(call), number, call.content) });
    },
  },
  'POST upload': { points: ['files-write', 'files-complete'], run: completeMultipartUpload },
  'DELETE upload': {
    run: async (call) => {
      await removeUpload(call.volume, await uploadOf(call));
      return answer(204);
    },
  },
};
