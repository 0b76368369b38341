import type { RangeFiles } from '../../core/context.ts';
import { createRequestSlots } from '../../http/throttle.ts';
import type { VolumeFile, VolumeFiles } from '../../core/file-ports.ts';
import { addressOf, parseObjectAddress, type StoredObject } from '../s3/object-address.ts';
import { copyObject } from '../s3/operations/copy-object.ts';
import { describeObject } from '../s3/operations/describe-object.ts';
import { readObject } from '../s3/operations/read-object.ts';
import { partSize, uploadFile } from '../s3/operations/upload-file.ts';
import { writeObject } from '../s3/operations/write-object.ts';
import type { S3Client } from '../s3/s3-client.ts';
import { isProven, proofOf } from './content-proof.ts';
import { isFolder, readFolder } from './read-folder.ts';
import type { Bytes } from '../../core/unit-types.ts';

const PART_BYTES: Bytes = 16 * 1024 * 1024;

/** How many blocks may be in memory at once: of files that are not of this machine. */
const BLOCKS_IN_MEMORY = 3;

export function createVolumeFiles(
  client: S3Client,
  bucket: string,
  files: Pick<RangeFiles, 'openUnnamed'>,
  partBytes = PART_BYTES,
): VolumeFiles {
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
    folder: (prefix, options) => readFolder({ client, bucket, files }, prefix, options),
    isFolder: (prefix) => isFolder({ client, bucket }, prefix),
    find: async (key) => {
      const found = await describeObject(client, at(key), signal);
      return found === undefined ? undefined : { ...fileOf(key, found.object), modifiedAt: found.modifiedAt };
    },
    isSame: (file, source) => isProven(proofOf(file, partSize(file.bytes, partBytes)), file.bytes, source),
    proofOf: (file) => proofOf(file, partSize(file.bytes, partBytes)),
    read: ({ key, bytes, version }, start = 0, end = bytes) =>
      readObject(client, { address: at(key), version }, start, end, signal),
    write: async (key, source, onBytes = () => undefined) => {
      const findSame = async (): Promise<StoredObject | undefined> => {
        const object = (await describeObject(client, at(key), signal))?.object;
        if (object === undefined) return undefined;
        const proof = proofOf(object, partSize(object.bytes, partBytes));
        return (await isProven(proof, object.bytes, source)) ? object : undefined;
      };
      return fileOf(key, await uploadFile(client, at(key), source, { partBytes, signal, inMemory, findSame, onBytes }));
    },
    writeStream: async (key, chunks) => fileOf(key, await writeObject(client, at(key), chunks, partBytes, signal)),
    copy: async ({ key: from, bytes, version }, key, replaces) =>
      fileOf(key, await copyObject(client, { address: at(from), bytes, version }, at(key), replaces)),
    remove: async (key) => {
      const name = parseObjectAddress(at(key));
      await client.send({ what: `remove ${at(key)}`, method: 'DELETE', ...name, handled: [404], signal });
    },
  };
}
