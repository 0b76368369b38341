import type { StoredObject } from '../../core/context.ts';
import { createRequestSlots } from '../../http/policy/request-slots.ts';
import type { VolumeFile, VolumeFiles } from '../../core/ports/volume-files.ts';
import { addressOf, parseObjectAddress } from '../s3/object-address.ts';
import { readListing } from '../s3/operations/listing-pages.ts';
import { describeObject } from '../s3/operations/describe-object.ts';
import { readObject } from '../s3/operations/read-object.ts';
import { partSize, uploadFile } from '../s3/operations/upload-file.ts';
import { writeObject } from '../s3/operations/write-object.ts';
import type { S3Client } from '../s3/s3-client.ts';
import { isProven, proofOf } from './content-proof.ts';

/** The smallest part of a large file; see BLOCKS_IN_MEMORY. Bytes. */
const PART_BYTES = 16 * 1024 * 1024;

/** How many blocks may be in memory at once: of files that are not of this machine. */
const BLOCKS_IN_MEMORY = 3;

/** The files of the volume whose id is `bucket`. */
export function createVolumeFiles(client: S3Client, bucket: string, partBytes = PART_BYTES): VolumeFiles {
  const signal = undefined;
  const inMemory = createRequestSlots(BLOCKS_IN_MEMORY);
  const at = (key: string): string => {
    const address = addressOf(bucket, key);
    parseObjectAddress(address);
    return address;
  };
  const fileOf = (key: string, { bytes, version }: StoredObject): VolumeFile => ({
    key,
    bytes,
    version,
    modifiedAt: undefined,
  });
  return {
    id: bucket,
    folder: async (prefix) => {
      const what = `list ${addressOf(bucket, prefix)}`;
      const { objects, prefixes } = await readListing(client, { bucket, prefix, delimiter: '/' }, what, signal);
      return {
        // A service may name an empty folder as an object whose key ends with a slash.
        files: objects.filter(({ key }) => !key.endsWith('/')),
        folders: [
          ...new Set([...prefixes, ...objects.map(({ key }) => key).filter((key) => key.endsWith('/'))]),
        ].filter((key) => key !== prefix),
      };
    },
    find: async (key) => {
      const found = await describeObject(client, at(key), signal);
      return found === undefined ? undefined : { ...fileOf(key, found.object), modifiedAt: found.modifiedAt };
    },
    isSame: (file, source) => isProven(proofOf(file, partSize(file.bytes, partBytes)), file.bytes, source),
    proofOf: (file) => proofOf(file, partSize(file.bytes, partBytes)),
    read: ({ key, bytes, version }, start = 0, end = bytes) =>
      readObject(client, { address: at(key), bytes, version }, start, end, signal),
    write: async (key, source, onBytes = () => undefined) =>
      fileOf(key, await uploadFile(client, at(key), source, { partBytes, signal, inMemory, onBytes })),
    writeStream: async (key, chunks) => fileOf(key, await writeObject(client, at(key), chunks, partBytes, signal)),
    remove: async (key) => {
      const name = parseObjectAddress(at(key));
      await client.send({ what: `remove ${at(key)}`, method: 'DELETE', ...name, handled: [404], signal });
    },
  };
}
