import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, promises as fs } from 'node:fs';
import { join } from 'node:path';
import { collectBytes } from '../../core/files.ts';
import type { Bytes, EpochMs } from '../../core/unit-types.ts';
import { childrenOf, childText, parseDocument } from '../../core/xml.ts';
import { invalidArgument, ObjectError } from './request.ts';
import { type FileOfVolume, makeFolder, pathOfKey, type Volume } from './volume.ts';

interface Upload {
  readonly id: string;
  readonly key: string;
  readonly startedAt: EpochMs;
}

interface Part {
  readonly number: number;
  readonly bytes: Bytes;
  readonly md5: string;
  readonly modifiedAt: EpochMs;
  readonly path: string;
}

const MAX_PARTS = 10_000;

/** The folder is the only state of an upload. */
const UPLOAD_RECORD = 'upload.json';

const folderOf = ({ uploads }: Volume, id: string): string => {
  if (!/^[0-9a-f-]{36}$/.test(id)) throw noSuchUpload();
  return join(uploads, id);
};

const noSuchUpload = (): ObjectError =>
  new ObjectError(404, 'NoSuchUpload', 'The specified upload does not exist: it may have been completed or aborted.');

export async function createUpload(volume: Volume, key: string, startedAt: EpochMs): Promise<Upload> {
  // Refuses a key that names no file.
  pathOfKey('/', key);
  const id = randomUUID();
  await makeFolder(folderOf(volume, id));
  await fs.writeFile(join(folderOf(volume, id), UPLOAD_RECORD), JSON.stringify({ key, startedAt }), { mode: 0o600 });
  return { id, key, startedAt };
}

/** Throws the refusal where there is none for the key. */
export async function findUpload(volume: Volume, id: string, wanted?: string): Promise<Upload> {
  const text = await fs.readFile(join(folderOf(volume, id), UPLOAD_RECORD), 'utf8').catch(() => {
    throw noSuchUpload();
  });
  const upload = { ...(JSON.parse(text) as Omit<Upload, 'id'>), id };
  if (wanted !== undefined && upload.key !== wanted) throw noSuchUpload();
  return upload;
}

export async function listUploads(volume: Volume): Promise<readonly Upload[]> {
  const ids = await fs.readdir(volume.uploads).catch(() => []);
  const found = await Promise.all(ids.map((id) => findUpload(volume, id).catch(() => undefined)));
  return found.filter((upload) => upload !== undefined);
}

export async function listParts(volume: Volume, { id }: Upload): Promise<readonly Part[]> {
  const folder = folderOf(volume, id);
  const parts: Part[] = [];
  for (const name of await fs.readdir(folder).catch(() => [])) {
    const [, number, md5] = /^(\d{1,5})\.([0-9a-f]{32})$/.exec(name) ?? [];
    const path = join(folder, name);
    const stats = await fs.stat(path).catch(() => undefined);
    if (stats !== undefined && md5 !== undefined)
      parts.push({ number: Number(number), bytes: stats.size, md5, modifiedAt: stats.mtimeMs, path });
  }
  return parts.sort((one, other) => one.number - other.number);
}

/** Replaces an earlier part of the same number. Returns its ETag. */
export async function writePart(
  volume: Volume,
  upload: Upload,
  number: number,
  content: AsyncIterable<Uint8Array>,
): Promise<string> {
  if (number < 1 || number > MAX_PARTS) throw invalidArgument('The number of a part is from 1 to 10000.');
  const received = await volume.receive(content);
  try {
    for (const other of (await listParts(volume, upload)).filter((each) => each.number === number))
      await volume.discard(other);
    await fs.rename(received.path, join(folderOf(volume, upload.id), `${String(number)}.${received.md5}`));
    return `"${received.md5}"`;
  } catch (error) {
    await volume.discard(received);
    throw error;
  }
}

/** Enough for 10,000 parts: the body is read at once. */
const MAX_DOCUMENT_BYTES: Bytes = 4_000_000;

/** Throws the refusal of a body that is not such a document. */
export async function parseParts(content: AsyncIterable<Uint8Array>): Promise<readonly Pick<Part, 'number' | 'md5'>[]> {
  const bytes = await collectBytes(content, MAX_DOCUMENT_BYTES);
  const root = await parseDocument(bytes ?? Buffer.alloc(0), 'CompleteMultipartUpload').catch(() => {
    throw malformed();
  });
  return childrenOf(root, 'Part').map((part) => {
    const number = childText(part, 'PartNumber') ?? '';
    if (!/^\d{1,5}$/.test(number)) throw malformed();
    return { number: Number(number), md5: (childText(part, 'ETag') ?? '').replaceAll('"', '') };
  });
}

const malformed = (): ObjectError => new ObjectError(400, 'MalformedXML', 'The document is not the one expected.');

/** A request during the join waits for the same file. Throws the refusal of a part not as given. */
export function completeUpload(
  volume: Volume,
  upload: Upload,
  given: readonly Pick<Part, 'number' | 'md5'>[],
): Promise<FileOfVolume> {
  const { joins } = volume;
  const running = joins.get(upload.id) ?? joinParts(volume, upload, given).finally(() => joins.delete(upload.id));
  joins.set(upload.id, running);
  return running;
}

async function joinParts(
  volume: Volume,
  upload: Upload,
  given: readonly Pick<Part, 'number' | 'md5'>[],
): Promise<FileOfVolume> {
  const parts = await listParts(volume, upload);
  const wanted = given.map(({ number, md5 }, index) => {
    if (index > 0 && number <= (given[index - 1]?.number ?? 0))
      throw new ObjectError(400, 'InvalidPartOrder', 'The parts are not in the order of their numbers.');
    const part = parts.find((each) => each.number === number);
    if (part?.md5 !== md5)
      throw new ObjectError(400, 'InvalidPart', `Part ${String(number)} does not exist with that ETag.`);
    return part;
  });
  if (wanted.length === 0) throw malformed();
  const received = await volume.receive(contentOf(wanted), Infinity);
  const digests = Buffer.from(wanted.map(({ md5 }) => md5).join(''), 'hex');
  const etag = `"${createHash('md5').update(digests).digest('hex')}-${String(wanted.length)}"`;
  const file = await volume.place(upload.key, received, etag);
  await removeUpload(volume, upload);
  return file;
}

async function* contentOf(parts: readonly Part[]): AsyncGenerator<Uint8Array> {
  for (const { path } of parts)
    for await (const chunk of createReadStream(path, { highWaterMark: 4 * 1_048_576 })) yield chunk as Uint8Array;
}

export async function removeUpload(volume: Volume, upload: Upload): Promise<void> {
  for (const part of await listParts(volume, upload)) volume.free(part.bytes);
  await fs.rm(folderOf(volume, upload.id), { recursive: true, force: true });
}
