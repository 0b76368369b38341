import type { LocalAnswer, LocalRequest } from '../http/operation.ts';
import {
  answer,
  dateOf,
  element,
  invalidArgument,
  noSuchKey,
  numberOf,
  ObjectError,
  xmlAnswer,
  type XmlText,
} from './answers.ts';
import { type FileFaults, latencyOf } from './faults.ts';
import { encoderOf, listingOf, MAX_ROWS, type Parameters } from './listing.ts';
import {
  abortUpload,
  completeUpload,
  createUpload,
  findUpload,
  listParts,
  listUploads,
  parseParts,
  writePart,
} from './uploads.ts';
import { type FileOfVolume, MAX_PUT_BYTES, tooLarge, type Volume } from './volume.ts';
import type { EpochMs } from '../../core/unit-types.ts';

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
  readonly faults: FileFaults;
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
  const isPart = parameters.has('uploadId');
  const isCopy = headers['x-amz-copy-source'] !== undefined;
  const names: Readonly<Record<string, OperationName | undefined>> =
    bucket === ''
      ? { GET: 'ListBuckets' }
      : key === ''
        ? {
            HEAD: 'HeadBucket',
            GET: parameters.has('uploads')
              ? 'ListMultipartUploads'
              : parameters.get('list-type') === '2'
                ? 'ListObjectsV2'
                : 'ListObjects',
          }
        : {
            HEAD: 'HeadObject',
            GET: isPart ? 'ListParts' : 'GetObject',
            PUT: isCopy ? (isPart ? undefined : 'CopyObject') : isPart ? 'UploadPart' : 'PutObject',
            POST: parameters.has('uploads') ? 'CreateMultipartUpload' : isPart ? 'CompleteMultipartUpload' : undefined,
            DELETE: isPart ? 'AbortMultipartUpload' : 'DeleteObject',
          };
  return names[method];
}

export type OperationName = keyof typeof OPERATIONS | 'ListBuckets';

const listObjects = async ({ volume, bucket, parameters, faults }: ObjectCall): Promise<LocalAnswer> =>
  xmlAnswer('ListBucketResult', await listingOf(volume, bucket, parameters, faults.has('files-same-token')));

async function readFile({ volume, key, request: { method, headers } }: ObjectCall): Promise<LocalAnswer> {
  const file = await volume.find(key);
  const known = { etag: file.etag, 'last-modified': new Date(file.modifiedAt).toUTCString() };
  if (!isNamed(headers['if-match'] ?? '*', file))
    throw new ObjectError(412, 'PreconditionFailed', 'The file has another ETag.');
  if (isNamed(headers['if-none-match'] ?? '', file)) return answer(304, known);
  const range = byteRange(headers['range'], file.bytes);
  const { start, end } = range ?? { start: 0, end: file.bytes };
  return {
    status: range === undefined ? 200 : 206,
    headers: {
      ...known,
      'accept-ranges': 'bytes',
      'content-type': 'application/octet-stream',
      'content-length': String(end - start),
      ...(range && { 'content-range': `bytes ${String(start)}-${String(end - 1)}/${String(file.bytes)}` }),
    },
    body: method === 'HEAD' ? '' : volume.read(file, start, end),
  };
}

const isNamed = (etags: string, { etag }: FileOfVolume): boolean =>
  etags.split(',').some((each) => ['*', etag].includes(each.trim()));

/** Undefined for a form not supported: ignored (RFC 9110, 14.2). Throws for a range past the end. */
function byteRange(
  header: string | undefined,
  bytes: number,
): { readonly start: number; readonly end: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  if (start >= bytes) throw new ObjectError(416, 'InvalidRange', 'The requested range is not satisfiable.');
  return { start, end: first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1) };
}

/** When a written file is shown: a fault. */
const shownAt = ({ faults, now }: ObjectCall): EpochMs | undefined =>
  faults.has('files-late') ? now + latencyOf(faults, 'files-late') : undefined;

async function putObject(call: ObjectCall): Promise<LocalAnswer> {
  const { volume, key, content, request, faults } = call;
  const length = numberOf(request.headers['x-amz-decoded-content-length'] ?? request.headers['content-length'] ?? '0');
  if (length > MAX_PUT_BYTES) throw tooLarge();
  // Refused before the content is read.
  volume.take(length);
  volume.free(length);
  const { etag } = await volume.write(key, content, shownAt(call));
  if (faults.has('files-lost')) await volume.remove(key);
  return answer(200, { etag });
}

async function copyObject({ volume, key, request, openSource }: ObjectCall): Promise<LocalAnswer> {
  const source = decoded(request.headers['x-amz-copy-source'] ?? '').replace(/^\//, '');
  const slash = source.indexOf('/');
  if (slash < 0) throw invalidArgument('The source of the copy is not BUCKET/KEY.');
  const from = await openSource(source.slice(0, slash));
  const file = await from.find(source.slice(slash + 1));
  const { modifiedAt, etag } = await volume.write(key, from.read(file, 0, file.bytes));
  return xmlAnswer('CopyObjectResult', [element('LastModified', dateOf(modifiedAt)), element('ETag', etag)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw noSuchKey();
  }
}

const uploadOf = ({ volume, key, parameters }: ObjectCall) => findUpload(volume, parameters.get('uploadId') ?? '', key);

async function completeMultipartUpload(call: ObjectCall): Promise<LocalAnswer> {
  const { volume, bucket, key, content, request, faults } = call;
  const upload = await uploadOf(call);
  const parts = await parseParts(content);
  const etag = faults.has('files-no-complete')
    ? '""'
    : (await completeUpload(volume, upload, parts, shownAt(call))).etag;
  if (faults.has('files-lost')) await volume.remove(key);
  return xmlAnswer('CompleteMultipartUploadResult', [
    element('Location', `${request.origin}${request.path}`),
    element('Bucket', bucket),
    element('Key', key),
    element('ETag', etag),
  ]);
}

async function listPartsOfUpload(call: ObjectCall): Promise<LocalAnswer> {
  const { volume, bucket, key, parameters } = call;
  const upload = await uploadOf(call);
  const after = numberOf(parameters.get('part-number-marker') ?? '0');
  const parts = (await listParts(volume, upload)).filter(({ number }) => number > after);
  const { page, rows } = pageOf(parts, parameters, 'MaxParts', 'max-parts');
  return xmlAnswer('ListPartsResult', [
    element('Bucket', bucket),
    element('Key', encoderOf(parameters)(key)),
    element('UploadId', upload.id),
    element('PartNumberMarker', after),
    element('NextPartNumberMarker', page.at(-1)?.number ?? after),
    ...rows,
    ...page.map(({ number, bytes, md5, modifiedAt }) =>
      element('Part', [
        element('PartNumber', number),
        element('LastModified', dateOf(modifiedAt)),
        element('ETag', `"${md5}"`),
        element('Size', bytes),
      ]),
    ),
  ]);
}

async function listMultipartUploads({ volume, bucket, parameters }: ObjectCall): Promise<LocalAnswer> {
  const prefix = parameters.get('prefix') ?? '';
  const encode = encoderOf(parameters);
  const [keyMarker = '', idMarker] = [parameters.get('key-marker'), parameters.get('upload-id-marker')];
  const uploads = (await listUploads(volume)).filter(({ key }) => key.startsWith(prefix));
  const marked = uploads.findIndex(({ key, id }) => key === keyMarker && id === idMarker);
  const left = uploads.slice(marked + 1).filter(({ key }) => key > keyMarker || (marked >= 0 && key === keyMarker));
  const { page, rows } = pageOf(left, parameters, 'MaxUploads', 'max-uploads');
  const last = page.at(-1);
  return xmlAnswer('ListMultipartUploadsResult', [
    element('Bucket', bucket),
    element('Prefix', encode(prefix)),
    element('KeyMarker', encode(keyMarker)),
    ...rows,
    element('NextKeyMarker', encode(last?.key ?? '')),
    element('NextUploadIdMarker', last?.id ?? ''),
    ...page.map(({ id, key, startedAt }) =>
      element('Upload', [
        element('Key', encode(key)),
        element('UploadId', id),
        element('Initiated', dateOf(startedAt)),
        element('StorageClass', 'STANDARD'),
      ]),
    ),
  ]);
}

function pageOf<T>(left: readonly T[], parameters: Parameters, name: string, parameter: string) {
  const limit = Math.min(MAX_ROWS, numberOf(parameters.get(parameter) ?? String(MAX_ROWS)));
  const page = left.slice(0, limit);
  const rows: readonly XmlText[] = [element(name, limit), element('IsTruncated', left.length > page.length)];
  return { page, rows };
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
    const rows = [element('Bucket', bucket), element('Key', key), element('UploadId', id)];
    return xmlAnswer('InitiateMultipartUploadResult', rows);
  },
  UploadPart: async (call) => {
    const number = numberOf(call.parameters.get('partNumber') ?? '');
    return answer(200, { etag: await writePart(call.volume, await uploadOf(call), number, call.content) });
  },
  CompleteMultipartUpload: completeMultipartUpload,
  AbortMultipartUpload: async (call) => {
    await abortUpload(call.volume, await uploadOf(call));
    return answer(204);
  },
  ListMultipartUploads: listMultipartUploads,
  ListParts: listPartsOfUpload,
} satisfies Readonly<Record<string, (call: ObjectCall) => Promise<LocalAnswer>>>;
