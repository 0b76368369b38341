import type { FileSource } from '../../core/file-ports.ts';
import { collectBytes } from '../../core/files.ts';
import { allEnded } from '../../core/several-at-once.ts';
import type { Bytes } from '../../core/unit-types.ts';
import type { RequestSlots } from '../../http/throttle.ts';
import { parseObjectAddress, type StoredObject } from './object-address.ts';
import {
  abortUpload,
  beginUpload,
  type Block,
  blockOfBytes,
  isPart,
  type KnownPart,
  md5,
  sendPart,
  type SentPart,
  sentParts,
  type Target,
  unfinishedUploads,
} from './parts.ts';
import type { S3Client } from './s3-client.ts';
import { unreadable } from './s3-failures.ts';
import { joinParts, writeWhole } from './write-object.ts';

interface UploadOptions {
  readonly partBytes: Bytes;
  readonly signal: AbortSignal | undefined;
  /** For blocks that are whole in memory while they are sent. */
  readonly inMemory: RequestSlots;
  /** The object, where it has the content of the source by now. Asked where an upload ended since it was looked at. */
  readonly findSame: () => Promise<StoredObject | undefined>;
  readonly onBytes: (bytes: Bytes) => void;
}

const PARTS_AT_ONCE = 8;

/** The most parts of one upload (storage contract, Supported). */
const MAX_PARTS = 10_000;

/** Resumes an interrupted upload with the parts whose MD5 matches. Checks the source before joining. */
export async function uploadFile(
  client: S3Client,
  address: string,
  source: FileSource,
  { partBytes, signal, inMemory, findSame, onBytes }: UploadOptions,
): Promise<StoredObject> {
  const target: Target = { client, name: parseObjectAddress(address), address, what: `write ${address}`, signal };
  if (source.bytes <= partBytes) {
    const written = await withBlock(source, 0, source.bytes, target, inMemory, async (block) => {
      await source.check();
      return writeWhole(target, block, source.replaces);
    });
    onBytes(source.bytes);
    return written;
  }
  const sizes = partSize(source.bytes, partBytes);
  const found = await findOrBegin(target, findSame);
  if (found.kind === 'done') {
    onBytes(source.bytes);
    return found.object;
  }
  const { id, there, others } = found;
  const parts = await sendParts(target, { id, there }, source, sizes, { inMemory, onBytes });
  await source.check();
  const written = await joinParts(target, id, parts, { replaces: source.replaces, findSame });
  // They are of an earlier content, or a lost answer began them: nothing else would remove them.
  for (const other of others) await abortUpload(target, other);
  return written;
}

/** The size of a part: the same for the same file, so that an interrupted upload can go on. Bytes. */
export const partSize = (bytes: Bytes, least: number): number => {
  const needed = Math.ceil(bytes / MAX_PARTS);
  return Math.ceil(Math.max(needed, least) / MIB) * MIB;
};

const MIB = 1_048_576;

/** Up to this size, a range is read once and its digests are computed at once: another thread would take longer. */
const SMALL_BYTES: Bytes = 262_144;

interface Unfinished {
  readonly kind: 'unfinished';
  readonly id: string;
  readonly there: ReadonlyMap<number, KnownPart>;
  readonly others: readonly string[];
}

/** Resumes the latest unfinished upload. If one ended meanwhile, the object may exist already. */
async function findOrBegin(
  target: Target,
  findSame: UploadOptions['findSame'],
): Promise<Unfinished | { readonly kind: 'done'; readonly object: StoredObject }> {
  const known = await unfinishedUploads(target);
  for (const id of known.toReversed()) {
    const there = await sentParts(target, id);
    if (there !== undefined) return { kind: 'unfinished', id, there, others: known.filter((other) => other !== id) };
  }
  const object = known.length === 0 ? undefined : await findSame();
  if (object !== undefined) return { kind: 'done', object };
  const { id } = await beginUpload(target, async () => (await unfinishedUploads(target)).at(-1));
  return { kind: 'unfinished', id, there: new Map(), others: [] };
}

async function sendParts(
  target: Target,
  { id, there }: Pick<Unfinished, 'id' | 'there'>,
  source: FileSource,
  size: number,
  { inMemory, onBytes }: Pick<UploadOptions, 'inMemory' | 'onBytes'>,
): Promise<readonly SentPart[]> {
  const count = Math.ceil(source.bytes / size);
  const parts: SentPart[] = [];
  let next = 0;
  const sendNext = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      const [start, end] = [index * size, Math.min((index + 1) * size, source.bytes)];
      parts[index] = await withBlock(source, start, end, target, inMemory, async (block) => {
        const { digest, body } = block;
        const known = there.get(index + 1);
        return known !== undefined && isPart(known, digest, body.byteLength)
          ? { number: index + 1, etag: known.etag, digest, bytes: body.byteLength }
          : sendPart(target, id, index + 1, block);
      });
      onBytes(end - start);
    }
  };
  try {
    await allEnded(Array.from({ length: Math.min(PARTS_AT_ONCE, count) }, sendNext));
  } catch (error) {
    // The others end with their part.
    next = count;
    throw error;
  }
  return parts;
}

export async function digestOf(
  { read, digests }: Omit<FileSource, 'check'>,
  start: Bytes,
  end: Bytes,
): Promise<Buffer | undefined> {
  if (digests !== undefined && end - start > SMALL_BYTES) return (await digests(start, end, ['md5']))[0];
  const block = await collectBytes(read(start, end), end - start);
  return block?.byteLength === end - start ? md5(block) : undefined;
}

/** In memory if the range is small, or the source has no digests of its own. */
async function withBlock<T>(
  source: FileSource,
  start: Bytes,
  end: Bytes,
  { client, what, signal }: Target,
  inMemory: RequestSlots,
  work: (block: Block) => Promise<T>,
): Promise<T> {
  const { digests } = source;
  const bytes = end - start;
  if (digests !== undefined && bytes > SMALL_BYTES) {
    const [digest] = await digests(start, end, ['md5']);
    if (digest === undefined) throw new Error('there are as many digests as names');
    return work({ digest, body: { byteLength: bytes, chunks: () => source.read(start, end) } });
  }
  const slot = bytes > SMALL_BYTES ? await inMemory.take(signal ?? client.signal) : undefined;
  try {
    const content = await collectBytes(source.read(start, end), bytes);
    if (content?.byteLength === bytes) return await work(blockOfBytes(content));
    await source.check();
    throw unreadable(what, 'the file could not be read to its end');
  } finally {
    slot?.free();
  }
}
