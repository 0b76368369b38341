import { dateOf, invalidArgument, type Members, numberOf } from './answers.ts';
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
): Promise<Members> {
  const isOld = parameters.get('list-type') !== '2';
  const { prefix = '', delimiter = '', 'continuation-token': token, ...given } = Object.fromEntries(parameters);
  if (delimiter !== '' && delimiter !== '/') throw invalidArgument('The delimiter can only be a slash.');
  const limit = limitIn(parameters, 'max-keys', isLoop && token === undefined ? 1 : MAX_ROWS);
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
    if (file === undefined) folders.push({ Prefix: encode(key) });
    else
      files.push({
        Key: encode(key),
        LastModified: dateOf(file.modifiedAt),
        ETag: file.etag,
        Size: file.bytes,
        StorageClass: 'STANDARD',
      });
    last = key;
  }
  isTruncated &&= last !== '';
  const next = isLoop && token !== undefined ? token : Buffer.from(last).toString('base64');
  const common = {
    Name: bucket,
    Prefix: encode(prefix),
    MaxKeys: limit,
    Delimiter: delimiter || undefined,
    EncodingType: parameters.has('encoding-type') ? 'url' : undefined,
    IsTruncated: isTruncated,
    Contents: files,
    CommonPrefixes: folders,
  };
  return isOld
    ? { ...common, Marker: encode(start), NextMarker: isTruncated ? encode(last) : undefined }
    : {
        ...common,
        StartAfter: encode(start),
        KeyCount: files.length + folders.length,
        ContinuationToken: token,
        NextContinuationToken: isTruncated ? next : undefined,
      };
}

function keyOfToken(token: string): string {
  const key = Buffer.from(token, 'base64').toString();
  if (key === '' || Buffer.from(key).toString('base64') !== token)
    throw invalidArgument('The continuation token is not valid.');
  return key;
}
