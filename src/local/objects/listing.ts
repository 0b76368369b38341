import { dateOf, element, invalidArgument, numberOf, type XmlText } from './answers.ts';
import type { Volume } from './volume.ts';

export type Parameters = ReadonlyMap<string, string>;

/** Encodes keys where a client asks for it: XML cannot carry every character. */
export function encoderOf(parameters: Parameters): (key: string) => string {
  const encoding = parameters.get('encoding-type');
  if (encoding === undefined) return (key) => key;
  if (encoding !== 'url') throw invalidArgument('The encoding-type can only be url.');
  return (key) => encodeURIComponent(key).replaceAll('%2F', '/').replaceAll("'", '%27');
}

const MAX_ROWS = 1000;

export const limitIn = (parameters: Parameters, name: string, most = MAX_ROWS): number =>
  Math.min(most, numberOf(parameters.get(name) ?? String(MAX_ROWS)));

/** `isLoop` is a fault: a page without a token names a next one, which names itself. */
export async function listingOf(
  volume: Volume,
  bucket: string,
  parameters: Parameters,
  isLoop: boolean,
): Promise<readonly (XmlText | undefined)[]> {
  const isOld = parameters.get('list-type') !== '2';
  const { prefix = '', delimiter = '', 'continuation-token': token, ...given } = Object.fromEntries(parameters);
  if (delimiter !== '' && delimiter !== '/') throw invalidArgument('The delimiter can only be a slash.');
  const limit = limitIn(parameters, 'max-keys', isLoop && token === undefined ? 1 : MAX_ROWS);
  const start = given[isOld ? 'marker' : 'start-after'] ?? '';
  const after = isOld || token === undefined ? start : keyOfToken(token);
  const encode = encoderOf(parameters);
  const rows: XmlText[] = [];
  let last = '';
  let isTruncated = isLoop;
  for await (const { key, isPrefix } of volume.list({ prefix, delimiter, after })) {
    if (rows.length === limit) {
      isTruncated = true;
      break;
    }
    const row = isPrefix
      ? element('CommonPrefixes', [element('Prefix', encode(key))])
      : await rowOf(volume, key, encode);
    // A file that was removed since its folder was read is left out.
    if (row === undefined) continue;
    rows.push(row);
    last = key;
  }
  isTruncated &&= last !== '';
  const next = isLoop && token !== undefined ? token : Buffer.from(last).toString('base64');
  return [
    element('Name', bucket),
    element('Prefix', encode(prefix)),
    element(isOld ? 'Marker' : 'StartAfter', encode(start)),
    isOld ? undefined : element('KeyCount', rows.length),
    isOld || token === undefined ? undefined : element('ContinuationToken', token),
    isTruncated ? element(isOld ? 'NextMarker' : 'NextContinuationToken', isOld ? encode(last) : next) : undefined,
    element('MaxKeys', limit),
    delimiter === '' ? undefined : element('Delimiter', delimiter),
    parameters.has('encoding-type') ? element('EncodingType', 'url') : undefined,
    element('IsTruncated', isTruncated),
    ...rows,
  ];
}

async function rowOf(volume: Volume, key: string, encode: (key: string) => string): Promise<XmlText | undefined> {
  const file = await volume.find(key).catch(() => undefined);
  if (file === undefined) return undefined;
  return element('Contents', [
    element('Key', encode(key)),
    element('LastModified', dateOf(file.modifiedAt)),
    element('ETag', file.etag),
    element('Size', file.bytes),
    element('StorageClass', 'STANDARD'),
  ]);
}

function keyOfToken(token: string): string {
  const key = Buffer.from(token, 'base64').toString();
  if (key === '' || Buffer.from(key).toString('base64') !== token)
    throw invalidArgument('The continuation token is not valid.');
  return key;
}
