import type { Bytes } from '../../core/unit-types.ts';
import { childrenOf, childText, parseDocument } from '../../core/xml.ts';
import { element, invalidArgument, ObjectError, type XmlText } from './answers.ts';
import type { Volume } from './volume.ts';

export type Parameters = ReadonlyMap<string, string>;

/** Encodes keys where a client asks for it: XML cannot carry every character. */
export function encoderOf(parameters: Parameters): (key: string) => string {
  const encoding = parameters.get('encoding-type');
  if (encoding === undefined) return (key) => key;
  if (encoding !== 'url') throw invalidArgument('The encoding-type can only be url.');
  return (key) => encodeURIComponent(key).replaceAll('%2F', '/').replaceAll("'", '%27');
}

/** Throws the refusal of other text. */
export function numberOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw invalidArgument(`${text} is not a number.`);
  return Number(text);
}

/** Undefined for a form not supported: ignored (RFC 9110, 14.2). Throws for a range past the end. */
export function byteRange(
  header: string | undefined,
  bytes: number,
): { readonly start: number; readonly end: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    if (Number(last) === 0 || bytes === 0) throw notSatisfiable();
    return { start: Math.max(0, bytes - Number(last)), end: bytes };
  }
  if (last !== '' && Number(last) < Number(first)) return undefined;
  if (Number(first) >= bytes) throw notSatisfiable();
  return { start: Number(first), end: last === '' ? bytes : Math.min(bytes, Number(last) + 1) };
}

const notSatisfiable = (): ObjectError =>
  new ObjectError(416, 'InvalidRange', 'The requested range is not satisfiable.');

/** Enough for 10,000 parts: the body is read at once. */
const MAX_BYTES: Bytes = 4_000_000;

interface GivenPart {
  readonly number: number;
  readonly etag: string;
}

/** Throws the refusal of a body that is not such a document. */
export async function parseParts(content: AsyncIterable<Uint8Array>): Promise<readonly GivenPart[]> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw malformed();
    chunks.push(chunk);
  }
  const root = await parseDocument(Buffer.concat(chunks), 'CompleteMultipartUpload').catch(() => {
    throw malformed();
  });
  return childrenOf(root, 'Part').map((part) => {
    const number = childText(part, 'PartNumber') ?? '';
    if (!/^\d{1,5}$/.test(number)) throw malformed();
    return { number: Number(number), etag: childText(part, 'ETag') ?? '' };
  });
}

const malformed = (): ObjectError => new ObjectError(400, 'MalformedXML', 'The document is not the one expected.');

const MAX_KEYS = 1000;

/** `isLoop` is a fault: a page without a token names a next one, which names itself. */
export async function listingOf(
  volume: Volume,
  bucket: string,
  parameters: Parameters,
  isOld: boolean,
  isLoop: boolean,
): Promise<readonly (XmlText | undefined)[]> {
  const prefix = parameters.get('prefix') ?? '';
  const delimiter = parameters.get('delimiter') ?? '';
  if (delimiter !== '' && delimiter !== '/') throw invalidArgument('The delimiter can only be a slash.');
  const token = parameters.get('continuation-token');
  const most = isLoop && token === undefined ? 1 : MAX_KEYS;
  const limit = Math.min(most, numberOf(parameters.get('max-keys') ?? String(MAX_KEYS)));
  const after = isOld
    ? (parameters.get('marker') ?? '')
    : token === undefined
      ? (parameters.get('start-after') ?? '')
      : keyOfToken(token);
  const encode = encoderOf(parameters);
  const keys: XmlText[] = [];
  const prefixes: XmlText[] = [];
  let last = '';
  let isTruncated = false;
  for await (const { key, kind } of volume.list({ prefix, delimiter, after })) {
    if (keys.length + prefixes.length === limit) {
      isTruncated = true;
      break;
    }
    if (kind === 'prefix') prefixes.push(element('CommonPrefixes', [element('Prefix', encode(key))]));
    else {
      // A file that was removed since its folder was read is left out.
      const file = await volume.find(key).catch(() => undefined);
      if (file === undefined) continue;
      keys.push(
        element('Contents', [
          element('Key', encode(key)),
          element('LastModified', new Date(file.modifiedAt).toISOString()),
          element('ETag', file.etag),
          element('Size', file.bytes),
          element('StorageClass', 'STANDARD'),
        ]),
      );
    }
    last = key;
  }
  isTruncated = (isTruncated && limit > 0) || (isLoop && last !== '');
  return [
    element('Name', bucket),
    element('Prefix', encode(prefix)),
    ...(isOld
      ? [element('Marker', encode(after)), isTruncated ? element('NextMarker', encode(last)) : undefined]
      : [
          element('KeyCount', keys.length + prefixes.length),
          token === undefined ? undefined : element('ContinuationToken', token),
          isTruncated
            ? element('NextContinuationToken', isLoop && token !== undefined ? token : tokenOf(last))
            : undefined,
          parameters.has('start-after')
            ? element('StartAfter', encode(parameters.get('start-after') ?? ''))
            : undefined,
        ]),
    element('MaxKeys', limit),
    delimiter === '' ? undefined : element('Delimiter', delimiter),
    parameters.has('encoding-type') ? element('EncodingType', 'url') : undefined,
    element('IsTruncated', isTruncated),
    ...keys,
    ...prefixes,
  ];
}

const tokenOf = (key: string): string => Buffer.from(key).toString('base64');

function keyOfToken(token: string): string {
  const key = Buffer.from(token, 'base64').toString();
  if (key === '' || tokenOf(key) !== token) throw invalidArgument('The continuation token is not one.');
  return key;
}
