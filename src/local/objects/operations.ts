import type { LocalAnswer, LocalRequest } from '../http/operation.ts';
import { type DigestedContent, withMd5 } from './write-file.ts';
import type { FileFaults } from './faults-of-files.ts';
import { byteRange, encoderOf, listingOf, numberOf, type Parameters, parseParts } from './requests.ts';
import {
  element,
  invalidArgument,
  noSuchKey,
  notImplemented,
  ObjectError,
  xmlDocument,
  type XmlText,
} from './answers.ts';
import { type FileOfVolume, MAX_PUT_BYTES, type Volume } from './volume.ts';
import { abortUpload, completeUpload, createUpload, findUpload, listParts, listUploads, writePart } from './uploads.ts';
import type { EpochMs } from '../../core/unit-types.ts';

export interface ObjectCall {
  readonly request: LocalRequest;
  readonly volume: Volume;
  readonly bucket: string;
  /** Decoded; empty for the volume itself. */
  readonly key: string;
  readonly parameters: Parameters;
  /** The body without frames, checked as it is read. */
  readonly content: DigestedContent;
  readonly openSource: (bucket: string) => Promise<Volume>;
  /** The time of this machine. */
  readonly now: EpochMs;
  readonly faults: FileFaults;
}

/** Answers a request about a volume or a file in it (storage contract, Supported). Throws ObjectError. */
export function answerCall(call: ObjectCall): Promise<LocalAnswer> {
  const { request, key, parameters } = call;
  const refused = UNSUPPORTED.find((name) => parameters.has(name));
  if (refused !== undefined) throw notImplemented();
  const operation = key === '' ? bucketOperation(request.method, parameters) : keyOperation(request, parameters);
  return operation(call);
}

type Operation = (call: ObjectCall) => Promise<LocalAnswer>;

const UNSUPPORTED = [
  ...['acl', 'cors', 'delete', 'encryption', 'lifecycle', 'object-lock', 'policy', 'restore', 'retention', 'select'],
  ...['tagging', 'torrent', 'versioning', 'versions', 'website', 'attributes', 'legal-hold', 'location'],
];

function bucketOperation(method: string, parameters: Parameters): Operation {
  if (method === 'HEAD') return () => Promise.resolve(answer(200, ''));
  if (method !== 'GET') throw notImplemented();
  if (parameters.has('uploads')) return uploadsOfBucket;
  const isOld = parameters.get('list-type') !== '2';
  return async ({ volume, bucket, parameters: given, faults }) =>
    xml('ListBucketResult', await listingOf(volume, bucket, given, isOld, faults.has('files-same-token')));
}

function keyOperation({ method, headers }: LocalRequest, parameters: Parameters): Operation {
  const isPart = parameters.has('uploadId');
  switch (method) {
    case 'GET':
      return isPart ? partsOfUpload : readFile;
    case 'HEAD':
      return readFile;
    case 'PUT':
      if (headers['x-amz-copy-source'] !== undefined) return isPart ? unsupported : copyFile;
      return isPart ? writePartOfUpload : writeFile;
    case 'POST':
      if (parameters.has('uploads')) return beginUpload;
      return isPart ? endUpload : unsupported;
    case 'DELETE':
      return isPart ? removeUpload : removeFile;
    default:
      return unsupported;
  }
}

const unsupported: Operation = () => Promise.reject(notImplemented());

const readFile: Operation = async ({ volume, key, request }) => {
  const file = await volume.find(key);
  const range = byteRange(request.headers['range'], file.bytes);
  const { start, end } = range ?? { start: 0, end: file.bytes };
  return {
    status: range === undefined ? 200 : 206,
    headers: {
      ...headersOf(file),
      'content-length': String(end - start),
      ...(range === undefined
        ? {}
        : { 'content-range': `bytes ${String(start)}-${String(end - 1)}/${String(file.bytes)}` }),
    },
    body: request.method === 'HEAD' ? '' : volume.read(file, start, end),
  };
};

const headersOf = ({ etag, modifiedAt }: FileOfVolume): Readonly<Record<string, string>> => ({
  etag,
  'last-modified': new Date(modifiedAt).toUTCString(),
  'accept-ranges': 'bytes',
  'content-type': 'application/octet-stream',
});

const writeFile: Operation = async ({ volume, key, request, content }) => {
  const length = request.headers['x-amz-decoded-content-length'] ?? request.headers['content-length'];
  if (length !== undefined) {
    if (numberOf(length) > MAX_PUT_BYTES)
      throw new ObjectError(400, 'EntityTooLarge', 'One request has at most 500 MB.');
    volume.space.check(numberOf(length));
  }
  const { etag } = await volume.write(key, content);
  return answer(200, '', { etag });
};

const copyFile: Operation = async ({ volume, key, request, openSource }) => {
  const source = decoded(request.headers['x-amz-copy-source'] ?? '').replace(/^\//, '');
  const slash = source.indexOf('/');
  if (slash < 0) throw invalidArgument('The source of the copy is not BUCKET/KEY.');
  const from = await openSource(source.slice(0, slash));
  const file = await from.find(source.slice(slash + 1));
  const copied = await volume.write(key, withMd5(from.read(file, 0, file.bytes)));
  return xml('CopyObjectResult', [
    element('LastModified', new Date(copied.modifiedAt).toISOString()),
    element('ETag', copied.etag),
  ]);
};

const removeFile: Operation = async ({ volume, key }) => {
  await volume.remove(key);
  return answer(204, '');
};

const beginUpload: Operation = async ({ volume, bucket, key, now }) => {
  const { id } = await createUpload(volume, key, now);
  return xml('InitiateMultipartUploadResult', [
    element('Bucket', bucket),
    element('Key', key),
    element('UploadId', id),
  ]);
};

const uploadOf = ({ volume, key, parameters }: ObjectCall) => findUpload(volume, parameters.get('uploadId') ?? '', key);

const writePartOfUpload: Operation = async (call) => {
  const number = numberOf(call.parameters.get('partNumber') ?? '');
  const etag = await writePart(call.volume, await uploadOf(call), number, call.content);
  return answer(200, '', { etag });
};

const endUpload: Operation = async (call) => {
  const { volume, bucket, key, content, request, faults } = call;
  const upload = await uploadOf(call);
  const parts = await parseParts(content);
  const etag = faults.has('files-no-complete') ? '""' : (await completeUpload(volume, upload, parts)).etag;
  return xml('CompleteMultipartUploadResult', [
    element('Location', `${request.origin}${request.path}`),
    element('Bucket', bucket),
    element('Key', key),
    element('ETag', etag),
  ]);
};

const removeUpload: Operation = async (call) => {
  await abortUpload(call.volume, await uploadOf(call));
  return answer(204, '');
};

const partsOfUpload: Operation = async (call) => {
  const { volume, bucket, key, parameters } = call;
  const upload = await uploadOf(call);
  const after = numberOf(parameters.get('part-number-marker') ?? '0');
  const limit = Math.min(1000, numberOf(parameters.get('max-parts') ?? '1000'));
  const parts = (await listParts(volume, upload)).filter(({ number }) => number > after);
  const page = parts.slice(0, limit);
  return xml('ListPartsResult', [
    element('Bucket', bucket),
    element('Key', encoderOf(parameters)(key)),
    element('UploadId', upload.id),
    element('PartNumberMarker', after),
    element('NextPartNumberMarker', page.at(-1)?.number ?? after),
    element('MaxParts', limit),
    element('IsTruncated', parts.length > page.length),
    ...page.map(({ number, bytes, etag, modifiedAt }) =>
      element('Part', [
        element('PartNumber', number),
        element('LastModified', new Date(modifiedAt).toISOString()),
        element('ETag', etag),
        element('Size', bytes),
      ]),
    ),
  ]);
};

const uploadsOfBucket: Operation = async ({ volume, bucket, parameters }) => {
  const prefix = parameters.get('prefix') ?? '';
  const encode = encoderOf(parameters);
  const limit = Math.min(1000, numberOf(parameters.get('max-uploads') ?? '1000'));
  const [keyMarker, idMarker] = [parameters.get('key-marker'), parameters.get('upload-id-marker')];
  const uploads = (await listUploads(volume)).filter(({ key }) => key.startsWith(prefix));
  const marked = uploads.findIndex(({ key, id }) => key === keyMarker && (idMarker === undefined || id === idMarker));
  const left = keyMarker === undefined ? uploads : uploads.slice(marked + 1).filter(({ key }) => key >= keyMarker);
  const page = left.slice(0, limit);
  const last = page.at(-1);
  return xml('ListMultipartUploadsResult', [
    element('Bucket', bucket),
    element('Prefix', encode(prefix)),
    element('KeyMarker', encode(keyMarker ?? '')),
    element('MaxUploads', limit),
    element('IsTruncated', left.length > page.length),
    ...(last === undefined || left.length === page.length
      ? []
      : [element('NextKeyMarker', encode(last.key)), element('NextUploadIdMarker', last.id)]),
    ...page.map(({ id, key, startedAt }) =>
      element('Upload', [
        element('Key', encode(key)),
        element('UploadId', id),
        element('Initiated', new Date(startedAt).toISOString()),
        element('StorageClass', 'STANDARD'),
      ]),
    ),
  ]);
};

const xml = (root: string, content: readonly (XmlText | undefined)[]): LocalAnswer =>
  answer(200, xmlDocument(root, content), { 'content-type': 'application/xml' });

const answer = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): LocalAnswer => ({
  status,
  headers,
  body,
});

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw noSuchKey();
  }
}
