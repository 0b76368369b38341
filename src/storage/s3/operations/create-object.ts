import { createHash } from 'node:crypto';
import { collectBytes } from '../../../core/files.ts';
import { describeObject } from './describe-object.ts';
import { parseObjectAddress } from '../object-address.ts';
import { readObject } from './read-object.ts';
import type { S3Client } from '../s3-client.ts';

const EXISTS = 412;
const NOT_IMPLEMENTED = 501;

/** The stored content decides: answers get lost and some services ignore `If-None-Match`. Must be unique. */
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
