import { createHash, randomUUID } from 'node:crypto';
import {
  appendFileSync,
  type BigIntStats,
  closeSync,
  createReadStream,
  lstatSync,
  mkdirSync,
  openSync,
  promises as fs,
  renameSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from '../../core/files.ts';
import type { Bytes, EpochMs } from '../../core/unit-types.ts';
import { invalidArgument, noSpace, noSuchKey, ObjectError } from './request.ts';

/** The hidden folder of a volume with the parts of unfinished uploads (storage contract). */
const UPLOADS_FOLDER = '.s3compat_uploads';

/** Whether a key, with or without a slash at its end, can be a path below the folder of a volume. */
const isPath = (key: string): boolean =>
  key
    .replace(/\/$/, '')
    .split('/')
    .every((part) => !['', '.', '..'].includes(part) && !part.includes('\0') && Buffer.byteLength(part) <= 255);

/** Throws the refusal of a key that names no file. */
export function pathOfKey(folder: string, key: string): string {
  if (!isPath(key) || Buffer.byteLength(key) > 1024 || key.split('/')[0] === UPLOADS_FOLDER)
    throw invalidArgument('The key is not the path of a file.');
  return join(folder, key.replace(/\/$/, ''));
}

/** Whether no folder on the way from the volume's folder to a path is a link, which could lead out of the volume. */
function isWithoutLinks(folder: string, path: string): boolean {
  for (let at = path; at.length > folder.length; at = dirname(at))
    if (statsAt(at)?.isSymbolicLink() === true) return false;
  return true;
}

/** Links are not followed. Synchronous: faster than starting another thread. */
function statsAt(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Compares as the bytes of UTF-8 compare: the order of a listing. */
const compareKeys = (one: string, other: string): number =>
  one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other));

/** Held at once: a listing comes in pages, and each would read its folders again. */
const MAX_FOLDERS = 64;

function createFolderReader(): (path: string) => Promise<readonly string[]> {
  const known = new Map<string, { readonly changedAt: bigint; readonly names: readonly string[] }>();
  return async (path) => {
    const stats = await fs.stat(path, { bigint: true }).catch(() => undefined);
    if (stats?.isDirectory() !== true) return [];
    const found = known.get(path);
    if (found?.changedAt === stats.mtimeNs) return found.names;
    const names = (await fs.readdir(path, { withFileTypes: true }))
      .filter((entry) => entry.isFile() || entry.isDirectory())
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .sort(compareKeys);
    if (known.size >= MAX_FOLDERS) known.clear();
    known.set(path, { changedAt: stats.mtimeNs, names });
    return names;
  };
}

interface ListingOptions {
  readonly prefix: string;
  /** `/` to end at folders; empty for all keys below. */
  readonly delimiter: string;
  readonly after: string;
}

/** The keys of files and empty folders, and the folders that the delimiter ends at. */
async function* listKeys(
  root: string,
  namesIn: (path: string) => Promise<readonly string[]>,
  { prefix, delimiter, after }: ListingOptions,
): AsyncGenerator<{ readonly key: string; readonly isPrefix: boolean }> {
  async function* below(folder: string): ReturnType<typeof listKeys> {
    for (const name of await namesIn(join(root, folder))) {
      const key = `${folder}${name}`;
      const isListed = key.startsWith(prefix) && compareKeys(key, after) > 0;
      if (key === `${UPLOADS_FOLDER}/` || !(key.startsWith(prefix) || prefix.startsWith(key))) continue;
      const isPrefix = name.endsWith('/') && delimiter === '/' && key.startsWith(prefix) && key !== prefix;
      if (isPrefix || !name.endsWith('/')) {
        if (isListed) yield { key, isPrefix };
      } else if (compareKeys(key, after) > 0 || after.startsWith(key)) {
        // Otherwise all keys of the folder come before `after`: they begin with its own.
        if (isListed && (await namesIn(join(root, key))).length === 0) yield { key, isPrefix: false };
        yield* below(key);
      }
    }
  }
  // Not from the root: a prefix names the folder to begin in.
  const first = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  if (first === '' || (isPath(first) && isWithoutLinks(root, join(root, first)))) yield* below(first);
}

export interface FileOfVolume {
  readonly path: string;
  readonly bytes: Bytes;
  /** With quotes: the MD5 of its content, or that of its parts. */
  readonly etag: string;
  readonly modifiedAt: EpochMs;
}

interface Received {
  readonly path: string;
  readonly bytes: Bytes;
  readonly md5: string;
}

/** The largest content of one request (storage contract, Supported). */
export const MAX_PUT_BYTES: Bytes = 500_000_000;

const BLOCK_BYTES: Bytes = 1_048_576;
const EMPTY_ETAG = '"d41d8cd98f00b204e9800998ecf8427e"';

/** A folder of this machine as a volume: its files are those that a pod sees. */
export class Volume {
  readonly uploads: string;
  /** The uploads whose parts are being joined, by their ids. */
  readonly joins = new Map<string, Promise<FileOfVolume>>();
  /** May change at any time. */
  capacity: Bytes;
  readonly #folder: string;
  /** With unfinished uploads. */
  #used: Bytes;
  readonly #namesIn = createFolderReader();
  readonly #etags = new Map<string, { readonly version: string; readonly etag: string }>();
  /** Files that are shown later, by their keys: a fault. */
  readonly #late = new Map<string, EpochMs>();

  private constructor(folder: string, capacity: Bytes, used: Bytes) {
    this.#folder = folder;
    this.uploads = join(folder, UPLOADS_FOLDER);
    this.capacity = capacity;
    this.#used = used;
  }

  static async open(folder: string, capacity: Bytes): Promise<Volume> {
    await makeFolder(folder);
    return new Volume(folder, capacity, await sizeOf(folder));
  }

  /** Throws the refusal where so much does not fit. */
  take(bytes: Bytes): void {
    if (this.#used + bytes > this.capacity) throw noSpace();
    this.#used += bytes;
  }

  free(bytes: Bytes): void {
    this.#used = Math.max(0, this.#used - bytes);
  }

  hide(key: string, until: EpochMs): void {
    this.#late.set(key, until);
  }

  showUntil(now: EpochMs): void {
    for (const [key, until] of this.#late) if (until <= now) this.#late.delete(key);
  }

  async find(key: string): Promise<FileOfVolume> {
    const path = pathOfKey(this.#folder, key);
    const stats = isWithoutLinks(this.#folder, dirname(path)) ? statsAt(path) : undefined;
    const isFolder = key.endsWith('/');
    if (this.#late.has(key) || !(isFolder ? stats?.isDirectory() : stats?.isFile()) || stats === undefined)
      throw noSuchKey();
    return {
      path,
      bytes: isFolder ? 0 : Number(stats.size),
      etag: isFolder ? EMPTY_ETAG : await this.#etagOf(key, path, stats),
      modifiedAt: Number(stats.mtimeMs),
    };
  }

  list(options: ListingOptions): ReturnType<typeof listKeys> {
    return listKeys(this.#folder, this.#namesIn, options);
  }

  read({ path }: Pick<FileOfVolume, 'path'>, start: number, end: number): AsyncIterable<Uint8Array> {
    // A stream cannot end before its start.
    return createReadStream(path, { start, end: Math.max(start, end - 1), highWaterMark: BLOCK_BYTES });
  }

  /** Replaces the earlier file only when complete. */
  async write(key: string, content: AsyncIterable<Uint8Array>): Promise<FileOfVolume> {
    const target = pathOfKey(this.#folder, key);
    if (key.endsWith('/')) return this.#makeFolder(key, target, content);
    const received = await this.receive(content);
    return this.place(key, received, `"${received.md5}"`);
  }

  /** Writes a temporary file, which takes space. */
  async receive(content: AsyncIterable<Uint8Array>, most: Bytes = MAX_PUT_BYTES): Promise<Received> {
    const path = join(this.uploads, 'put', randomUUID());
    await makeFolder(dirname(path));
    const file = openSync(path, 'wx', 0o600);
    const md5 = createHash('md5');
    let bytes = 0;
    try {
      for await (const chunk of content) {
        if (bytes + chunk.byteLength > most) throw tooLarge();
        this.take(chunk.byteLength);
        bytes += chunk.byteLength;
        md5.update(chunk);
        // Synchronous: the system takes the bytes faster than another thread would be started.
        appendFileSync(file, chunk);
      }
      return { path, bytes, md5: md5.digest('hex') };
    } catch (error) {
      await this.discard({ path, bytes });
      throw error;
    } finally {
      closeSync(file);
    }
  }

  async discard({ path, bytes }: Pick<Received, 'path' | 'bytes'>): Promise<void> {
    this.free(bytes);
    await fs.rm(path, { force: true });
  }

  /** Moves a temporary file to its key, in place of an earlier file; where it cannot be there, discards it. */
  async place(key: string, received: Received, etag: string): Promise<FileOfVolume> {
    const target = pathOfKey(this.#folder, key);
    try {
      if (!isWithoutLinks(this.#folder, dirname(target))) throw occupied();
      const before = fileSize(target);
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      renameSync(received.path, target);
      this.free(before);
    } catch (error) {
      await this.discard(received);
      throw isOccupied(error) ? occupied() : error;
    }
    this.#late.delete(key);
    const stats = await fs.stat(target, { bigint: true });
    this.#etags.set(target, { version: versionOf(stats), etag });
    // That of parts cannot be computed from the file.
    if (etag.includes('-')) {
      await makeFolder(dirname(this.#recordOf(key)));
      await fs.writeFile(this.#recordOf(key), `${versionOf(stats)}\n${etag}`, { mode: 0o600 });
    }
    return { path: target, bytes: received.bytes, etag, modifiedAt: Number(stats.mtimeMs) };
  }

  /** Also an empty folder. Does nothing where there is none. */
  async remove(key: string): Promise<void> {
    const path = pathOfKey(this.#folder, key);
    if (!isWithoutLinks(this.#folder, dirname(path))) return;
    const bytes = fileSize(path);
    try {
      await (key.endsWith('/') ? fs.rmdir(path) : fs.unlink(path));
      this.free(bytes);
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR', 'EISDIR', 'EPERM', 'ENOTEMPTY'].includes(errorCode(error) ?? '')) throw error;
    }
  }

  async #makeFolder(key: string, path: string, content: AsyncIterable<Uint8Array>): Promise<FileOfVolume> {
    for await (const chunk of content) if (chunk.byteLength > 0) throw invalidArgument('A folder has no content.');
    if (!isWithoutLinks(this.#folder, path)) throw occupied();
    await makeFolder(path).catch((error: unknown) => {
      throw isOccupied(error) ? occupied() : error;
    });
    return this.find(key);
  }

  /** That of an upload in parts, else computed on first use. Valid until the file changes. */
  async #etagOf(key: string, path: string, stats: BigIntStats): Promise<string> {
    const known = this.#etags.get(path);
    if (known?.version === versionOf(stats)) return known.etag;
    const [version, kept] = (await fs.readFile(this.#recordOf(key), 'utf8').catch(() => '')).split('\n');
    const etag = version === versionOf(stats) && kept !== undefined ? kept : `"${await md5Of(path)}"`;
    this.#etags.set(path, { version: versionOf(stats), etag });
    return etag;
  }

  #recordOf(key: string): string {
    return join(`${this.#folder}.etags`, createHash('sha256').update(key).digest('hex'));
  }
}

export const makeFolder = (path: string) => fs.mkdir(path, { recursive: true, mode: 0o700 });

const versionOf = ({ ino, size, mtimeNs }: BigIntStats): string => `${String(ino)} ${String(size)} ${String(mtimeNs)}`;

async function md5Of(path: string): Promise<string> {
  const hash = createHash('md5');
  for await (const chunk of createReadStream(path, { highWaterMark: BLOCK_BYTES })) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}

/** 0 for anything but a file. */
function fileSize(path: string): Bytes {
  const stats = statsAt(path);
  return stats?.isFile() === true ? Number(stats.size) : 0;
}

async function sizeOf(folder: string): Promise<Bytes> {
  let bytes = 0;
  for (const entry of await fs.readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    bytes += entry.isDirectory() ? await sizeOf(path) : fileSize(path);
  }
  return bytes;
}

export const tooLarge = (): ObjectError =>
  new ObjectError(400, 'EntityTooLarge', 'One request has at most 500 MB of content.');

const isOccupied = (error: unknown): boolean =>
  ['EEXIST', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY'].includes(errorCode(error) ?? '');

const occupied = (): ObjectError =>
  new ObjectError(409, 'InvalidObjectState', 'A file is where a folder must be, or a folder where the file must be.');
