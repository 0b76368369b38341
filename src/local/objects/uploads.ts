import { createHash, randomUUID } from 'node:crypto';
import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import { decodeJson, numberAt, stringAt } from '../../core/json.ts';
import type { Bytes, EpochMs } from '../../core/unit-types.ts';
import { ObjectError } from './answers.ts';
import { pathOfKey } from './listing.ts';
import { type FileOfVolume, MAX_PUT_BYTES, type Volume } from './volume.ts';
import { appendFiles, type DigestedContent, writeTemporary } from './write-file.ts';

interface Upload {
  readonly id: string;
  readonly key: string;
  readonly startedAt: EpochMs;
}

interface Part {
  readonly number: number;
  readonly bytes: Bytes;
  /** With quotes: the MD5 of its content. */
  readonly etag: string;
  readonly modifiedAt: EpochMs;
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

export async function createUpload(volume: Volume, key: string, now: EpochMs): Promise<Upload> {
  // Refuses a key that names no file.
  pathOfKey('/', key);
  const id = randomUUID();
  await fs.mkdir(folderOf(volume, id), { recursive: true, mode: 0o700 });
  await fs.writeFile(join(folderOf(volume, id), UPLOAD_RECORD), JSON.stringify({ key, startedAt: now }), {
    mode: 0o600,
  });
  return { id, key, startedAt: now };
}

/** Throws the refusal where there is none for the key. */
export async function findUpload(volume: Volume, id: string, key?: string): Promise<Upload> {
  const record = decodeJson(
    await fs.readFile(join(folderOf(volume, id), UPLOAD_RECORD), 'utf8').catch(() => {
      throw noSuchUpload();
    }),
  );
  const found = { id, key: stringAt(record, 'key') ?? '', startedAt: numberAt(record, 'startedAt') ?? 0 };
  if (key !== undefined && found.key !== key) throw noSuchUpload();
  return found;
}

export async function listUploads(volume: Volume): Promise<readonly Upload[]> {
  const ids = await fs.readdir(volume.uploads).catch(() => []);
  const found = await Promise.all(ids.map((id) => findUpload(volume, id).catch(() => undefined)));
  return found
    .filter((upload) => upload !== undefined)
    .sort((one, other) => (one.key === other.key ? one.startedAt - other.startedAt : one.key < other.key ? -1 : 1));
}

const PART = /^(\d{1,5})\.([0-9a-f]{32})$/;

export async function listParts(volume: Volume, { id }: Upload): Promise<readonly Part[]> {
  const folder = folderOf(volume, id);
  const parts: Part[] = [];
  for (const name of await fs.readdir(folder).catch(() => [])) {
    const [, number, md5] = PART.exec(name) ?? [];
    const stats = number === undefined ? undefined : await fs.stat(join(folder, name)).catch(() => undefined);
    if (stats !== undefined)
      parts.push({ number: Number(number), bytes: stats.size, etag: `"${md5 ?? ''}"`, modifiedAt: stats.mtimeMs });
  }
  return parts.sort((one, other) => one.number - other.number);
}

/** Replaces an earlier part of the same number. */
export async function writePart(
  volume: Volume,
  upload: Upload,
  number: number,
  content: DigestedContent,
): Promise<string> {
  if (!Number.isInteger(number) || number < 1 || number > MAX_PARTS)
    throw new ObjectError(400, 'InvalidArgument', 'The number of a part is from 1 to 10000.');
  const folder = folderOf(volume, upload.id);
  let taken = 0;
  const take = (bytes: Bytes): void => {
    volume.space.take(bytes);
    taken += bytes;
  };
  try {
    const path = await writeTemporary(folder, content, take, MAX_PUT_BYTES);
    const md5 = content.md5().toString('hex');
    const name = `${String(number)}.${md5}`;
    for (const other of await fs.readdir(folder)) {
      if (PART.exec(other)?.[1] !== String(number)) continue;
      volume.space.free((await fs.stat(join(folder, other))).size);
      await fs.rm(join(folder, other));
    }
    await fs.rename(path, join(folder, name));
    return `"${md5}"`;
  } catch (error) {
    volume.space.free(taken);
    throw error;
  }
}

/** A request during the join waits for the same file. Throws the refusal of a part not as given. */
export function completeUpload(volume: Volume, upload: Upload, given: readonly GivenPart[]): Promise<FileOfVolume> {
  const { joins } = volume;
  const running =
    joins.get(upload.id) ??
    joinParts(volume, upload, given).finally(() => {
      joins.delete(upload.id);
    });
  joins.set(upload.id, running);
  return running;
}

interface GivenPart {
  readonly number: number;
  readonly etag: string;
}

async function joinParts(volume: Volume, upload: Upload, given: readonly GivenPart[]): Promise<FileOfVolume> {
  const parts = await listParts(volume, upload);
  const wanted = given.map(({ number, etag }, index) => {
    if (index > 0 && number <= (given[index - 1]?.number ?? 0))
      throw new ObjectError(400, 'InvalidPartOrder', 'The parts are not in the order of their numbers.');
    const part = parts.find((each) => each.number === number);
    if (part?.etag !== `"${unquoted(etag)}"`)
      throw new ObjectError(400, 'InvalidPart', `Part ${String(number)} is not there as it was given.`);
    return part;
  });
  const [first] = wanted;
  if (first === undefined) throw new ObjectError(400, 'MalformedXML', 'There are no parts.');
  const folder = folderOf(volume, upload.id);
  const pathOf = ({ number, etag }: Part): string => join(folder, `${String(number)}.${unquoted(etag)}`);
  // Not the name of a part, while the others are appended or if this process ends meanwhile.
  const path = join(folder, randomUUID());
  await fs.rename(pathOf(first), path);
  let file: FileOfVolume;
  try {
    await appendFiles(path, wanted.slice(1).map(pathOf));
    file = await volume.place(upload.key, path, etagOf(wanted));
  } catch (error) {
    await fs.truncate(path, first.bytes);
    await fs.rename(path, pathOf(first));
    throw error;
  }
  const unused = parts.filter((part) => !wanted.includes(part));
  volume.space.free(unused.reduce((sum, { bytes }) => sum + bytes, 0));
  await fs.rm(folder, { recursive: true, force: true });
  return file;
}

function etagOf(parts: readonly Part[]): string {
  const digests = Buffer.concat(parts.map(({ etag }) => Buffer.from(unquoted(etag), 'hex')));
  return `"${createHash('md5').update(digests).digest('hex')}-${String(parts.length)}"`;
}

const unquoted = (etag: string): string => etag.replaceAll('"', '');

export async function abortUpload(volume: Volume, upload: Upload): Promise<void> {
  const parts = await listParts(volume, upload);
  await fs.rm(folderOf(volume, upload.id), { recursive: true, force: true });
  volume.space.free(parts.reduce((sum, { bytes }) => sum + bytes, 0));
}
