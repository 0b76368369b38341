import { blocksOf } from '../../../core/files.ts';
import { parseObjectAddress, type StoredObject } from '../object-address.ts';
import type { S3Client } from '../s3-client.ts';
import { confirmWritten, isThere, type Confirmation } from './confirm-written.ts';
import {
  abortUpload,
  beginUpload,
  blockOfBytes,
  completeUpload,
  joinedParts,
  sendPart,
  type Block,
  type SentPart,
} from './parts.ts';
import { sentParts, unfinishedUploads, type Target } from './unfinished-uploads.ts';

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
