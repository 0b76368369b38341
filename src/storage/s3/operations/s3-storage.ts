import type { ObjectStorage } from '../../../core/context.ts';
import { createObject } from './create-object.ts';
import { describeObject } from './describe-object.ts';
import { listObjects } from './list-objects.ts';
import { parseObjectAddress } from '../object-address.ts';
import { readObject } from './read-object.ts';
import type { S3Client } from '../s3-client.ts';
import { writeObject } from './write-object.ts';

export const createS3Storage = (client: S3Client, partBytes: number): ObjectStorage => ({
  list: (pattern, signal) => listObjects(client, pattern, signal),
  describe: async (address, signal) => (await describeObject(client, address, signal))?.object,
  read: (object, start = 0, end = object.bytes, signal) => readObject(client, object, start, end, signal),
  write: (address, chunks, signal) => writeObject(client, address, chunks, partBytes, signal),
  create: (address, content, signal) => createObject(client, address, content, signal),
  remove: async (address, signal) => {
    const name = parseObjectAddress(address);
    await client.send({ what: `remove ${address}`, method: 'DELETE', ...name, handled: [404], signal });
  },
});
