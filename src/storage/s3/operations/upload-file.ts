import { collectBytes } from '../../../core/files/byte-streams.ts';
import type { FileSource } from '../../../core/ports/volume-files.ts';
import type { StoredObject } from '../../../core/context.ts';
import { parseObjectAddress } from '../object-address.ts';
import type { S3Client } from '../s3-client.ts';
import { unreadable } from '../s3-failures.ts';
import { confirmWritten } from './confirm-written.ts';
import {
  beginUpload,
  completeUpload,
  md5,
  sendPart,
  sentParts,
  unfinishedUploads,
  type SentPart,
  type Target,
} from './parts.ts';
import { writeWhole } from './write-object.ts';

export interface UploadOptions {
  /** The smallest part, in bytes. */
  readonly partBytes: number;
  readonly signal: AbortSignal | undefined;
  /** Called with the number of bytes that arrived, or were there already. */
  readonly onBytes: (bytes: number) => void;
}

/** How many parts are sent at the same time: each is in memory. */
const PARTS_AT_ONCE = 3;

/** The most parts of one upload (storage contract, Supported). */
const MAX_PARTS = 10_000;

/**
 * Writes a file of this machine. A large one is sent in parts, which an interrupted upload leaves on the volume: the next one
 * of the same content goes on with those whose MD5 agrees with the file's. It is done when size and ETag of the object are
 * those of what was read. The source is checked before the parts are joined.
 */
export async function uploadFile(
  client: S3Client,
  address: string,
  source: FileSource,
  { partBytes, signal, onBytes }: UploadOptions,
): Promise<StoredObject> {
  const target: Target = { client, name: parseObjectAddress(address), address, what: `write ${address}`, signal };
  if (source.bytes <= partBytes) {
    const content = await rangeOf(source, 0, source.bytes, target);
    await source.check();
    const written = await writeWhole(target, content);
    onBytes(source.bytes);
    return written;
  }
  const sizes = partSize(source.bytes, partBytes);
  const { id, there } = await findOrBegin(target);
  const parts = await sendParts(target, id, there, source, sizes, onBytes);
  await source.check();
  return await confirmWritten(client, address, await completeUpload(target, id, parts), signal);
}

/** The size of a part: the same for the same file, so that an interrupted upload can go on. Bytes. */
const partSize = (bytes: number, least: number): number => {
  const needed = Math.ceil(bytes / MAX_PARTS);
  return Math.ceil(Math.max(needed, least) / MIB) * MIB;
};

const MIB = 1_048_576;

type Known = ReadonlyMap<number, { readonly etag: string; readonly bytes: number }>;

/** The unfinished upload of the object that began last, with the parts that are there; a new one where there is none. */
async function findOrBegin(target: Target): Promise<{ readonly id: string; readonly there: Known }> {
  for (const id of (await unfinishedUploads(target)).toReversed()) {
    const there = await sentParts(target, id);
    if (there !== undefined) return { id, there };
  }
  return { id: (await beginUpload(target)).id, there: new Map() };
}

async function sendParts(
  target: Target,
  uploadId: string,
  there: Known,
  source: FileSource,
  size: number,
  onBytes: (bytes: number) => void,
): Promise<readonly SentPart[]> {
  const count = Math.ceil(source.bytes / size);
  const parts: SentPart[] = [];
  let next = 0;
  const sendNext = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      const block = await rangeOf(source, index * size, Math.min((index + 1) * size, source.bytes), target);
      const digest = md5(block);
      const known = there.get(index + 1);
      const isThere = known?.bytes === block.byteLength && known.etag.replaceAll('"', '') === digest.toString('hex');
      parts[index] = isThere
        ? { number: index + 1, etag: known.etag, digest, bytes: block.byteLength }
        : await sendPart(target, uploadId, index + 1, block, digest);
      onBytes(block.byteLength);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(PARTS_AT_ONCE, count) }, sendNext));
  } catch (error) {
    // The others end with their part.
    next = count;
    throw error;
  }
  return parts;
}

/**
 * The ETag, without quotes, that an object has which `uploadFile` wrote from a source; undefined when the source has fewer bytes
 * than it says.
 */
export async function etagOf(
  { bytes, read }: Omit<FileSource, 'check'>,
  partBytes: number,
): Promise<string | undefined> {
  const size = bytes <= partBytes ? Math.max(bytes, 1) : partSize(bytes, partBytes);
  const digests: Buffer[] = [];
  for (let start = 0; start < Math.max(bytes, 1); start += size) {
    const block = await collectBytes(read(start, Math.min(start + size, bytes)), size);
    if (block?.byteLength !== Math.min(size, bytes - start)) return undefined;
    digests.push(md5(block));
  }
  return bytes <= partBytes
    ? digests[0]?.toString('hex')
    : `${md5(Buffer.concat(digests)).toString('hex')}-${String(digests.length)}`;
}

async function rangeOf(source: FileSource, start: number, end: number, { what }: Target): Promise<Buffer> {
  const bytes = await collectBytes(source.read(start, end), end - start);
  if (bytes?.byteLength === end - start) return bytes;
  await source.check();
  throw unreadable(what, 'the file could not be read to its end');
}
