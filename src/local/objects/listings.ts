import { encoderOf, numberOf, type Parameters } from './requests/parameters.ts';
import { invalidArgument } from './answers/object-error.ts';
import type { Volume } from './volumes/volume.ts';
import { element, type XmlText } from './answers/xml.ts';

/** Most keys of a page. */
const MAX_KEYS = 1000;

/**
 * The members of a page of `ListObjectsV2`, or of `ListObjects` where `isOld`. `isLoop` is a fault: a page without a token has
 * one key and names a next one, which names itself.
 */
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
