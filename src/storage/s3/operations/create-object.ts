import { createHash } from 'node:crypto';
import { collectBytes } from '../../../core/files/byte-streams.ts';
import { describeObject } from './describe-object.ts';
import { parseObjectAddress } from '../object-address.ts';
import { readObject } from './read-object.ts';
import type { S3Client } from '../s3-client.ts';

/** The condition does not hold: there is an object. */
const EXISTS = 412;
/** The service does not know the condition. */
const NOT_IMPLEMENTED = 501;

/**
 * Creates an object unless there is one, by the condition `If-None-Match: *`. Whatever the answer was, what is there then
 * decides: the answer to an attempt that succeeded may be lost, and some services ignore the condition or refuse it.
 * Contents must differ between those that create the object.
 */
export async function createObject(
  client: S3Client,
  address: string,
  content: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if ((await describeObject(client, address, signal)) !== undefined) return false;
  const put = async (condition: Readonly<Record<string, string>>, handled: readonly number[]): Promise<number> => {
    const { status } = await client.send({
      what: `create ${address}`,
      method: 'PUT',
      ...parseObjectAddress(address),
      headers: {
        'content-md5': createHash('md5').update(content).digest('base64'),
        'content-length': String(content.byteLength),
        ...condition,
      },
      body: content,
      handled,
      signal,
    });
    return status;
  };
  const status = await put({ 'if-none-match': '*' }, [EXISTS, NOT_IMPLEMENTED]);
  if (status === NOT_IMPLEMENTED) await put({}, []);
  const found = await describeObject(client, address, signal);
  if (found?.object.bytes !== content.byteLength) return false;
  const { object } = found;
  const bytes = await collectBytes(readObject(client, object, 0, object.bytes, signal), object.bytes);
  return bytes?.equals(content) === true;
}
