import { parseDocument } from '../../../core/xml.ts';
import { parseObjectAddress, encodeStrictly, type StoredObject } from '../object-address.ts';
import type { S3Client } from '../s3-client.ts';
import { unreadable } from '../s3-failures.ts';
import { confirmWritten } from './confirm-written.ts';

/** The service may answer 200 and report a failure in the body: size and ETag of the copy decide. */
export async function copyObject(
  client: S3Client,
  from: StoredObject,
  address: string,
  replaces: string | undefined,
): Promise<StoredObject> {
  const { bucket, key } = parseObjectAddress(from.address);
  const what = `copy ${from.address} to ${address}`;
  const source = `/${bucket}/${key.split('/').map(encodeStrictly).join('/')}`;
  const { body } = await client.send({
    what,
    method: 'PUT',
    ...parseObjectAddress(address),
    headers: { 'x-amz-copy-source': source },
  });
  await parseDocument(body, 'CopyObjectResult').catch(() => {
    throw unreadable(what, 'it does not say that the copy was made');
  });
  const written = { bytes: from.bytes, etag: from.version.replaceAll('"', '') };
  return await confirmWritten(client, address, { written, replaces, signal: undefined });
}
