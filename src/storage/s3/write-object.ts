import { blocksOf } from '../../core/files.ts';
import { parseDocument } from '../../core/xml.ts';
import { type Confirmation, confirmWritten, isThere } from './confirm-written.ts';
import { encodeStrictly, parseObjectAddress, type StoredObject } from './object-address.ts';
import {
  abortUpload,
  beginUpload,
  type Block,
  blockOfBytes,
  completeUpload,
  joinedParts,
  sendPart,
  type SentPart,
  sentParts,
  type Target,
  unfinishedUploads,
} from './parts.ts';
import type { S3Client } from './s3-client.ts';
import { unreadable } from './s3-failures.ts';

/** Appears with the last request. After a failure its parts are removed: the stream cannot be read again. */
export async function writeObject(
  client: S3Client,
  address: string,
  chunks: AsyncIterable<Uint8Array>,
  partBytes: number,
  signal: AbortSignal | undefined,
): Promise<StoredObject> {
  const blocks = blocksOf(chunks, partBytes);
  const first = await blocks.next();
  const content = first.done === true ? new Uint8Array(0) : first.value;
  const second = await blocks.next();
  const target: Target = { client, name: parseObjectAddress(address), address, what: `write ${address}`, signal };
  return second.done === true
    ? await writeWhole(target, blockOfBytes(content))
    : await writeParts(target, joined(content, second.value, blocks));
}

export async function writeWhole(target: Target, { digest, body }: Block, replaces?: string): Promise<StoredObject> {
  const { client, name, address, what, signal } = target;
  const written = { bytes: body.byteLength, etag: digest.toString('hex') };
  const put = async (): Promise<void> => {
    await client.send({
      what,
      method: 'PUT',
      ...name,
      headers: { 'content-md5': digest.toString('base64'), 'content-length': String(body.byteLength) },
      body,
      isDone: () => isThere(client, address, written, signal),
      signal,
    });
  };
  await put();
  return await confirmWritten(client, address, { written, replaces, again: put, signal });
}

async function writeParts(target: Target, blocks: AsyncIterable<Uint8Array>): Promise<StoredObject> {
  const { id, attempts } = await beginUpload(target);
  // The answers of the other attempts may have been lost after the service began an upload.
  if (attempts > 1) await abortOthers(target, id).catch(() => undefined);
  try {
    const parts: SentPart[] = [];
    for await (const block of blocks) parts.push(await sendPart(target, id, parts.length + 1, blockOfBytes(block)));
    return await joinParts(target, id, parts);
  } catch (error) {
    await abortUpload(target, id);
    throw error;
  }
}

export async function joinParts(
  target: Target,
  id: string,
  parts: readonly SentPart[],
  { replaces, findSame }: Pick<Confirmation, 'replaces' | 'findSame'> = {},
): Promise<StoredObject> {
  const { client, address, signal } = target;
  const written = joinedParts(parts);
  const complete = () => completeUpload(target, id, parts, () => isThere(client, address, written, signal));
  const isGone = (await complete()) === 'gone';
  const again = async (): Promise<void> => {
    if ((await sentParts(target, id)) !== undefined) await complete();
  };
  return await confirmWritten(client, address, { written, replaces, again, findSame, isGone, signal });
}

/** Ends other uploads of the same object: without an end, a service keeps and bills their parts for ever. */
async function abortOthers(target: Target, uploadId: string): Promise<void> {
  for (const id of await unfinishedUploads(target)) if (id !== uploadId) await abortUpload(target, id);
}

async function* joined(
  first: Uint8Array,
  second: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield first;
  yield second;
  yield* rest;
}

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
