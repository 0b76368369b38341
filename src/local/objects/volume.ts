import { createHash, randomUUID } from 'node:crypto';
import {
  appendFileSync,
  type BigIntStats,
  closeSync,
  createReadStream,
  mkdirSync,
  openSync,
  promises as fs,
  renameSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from '../../core/files.ts';
import type { Bytes, EpochMs } from '../../core/unit-types.ts';
import { invalidArgument, noSpace, noSuchKey, ObjectError } from './answers.ts';
import {
  createFolderReader,
  isWithoutLinks,
  listKeys,
  type ListingOptions,
  pathOfKey,
  statsAt,
  UPLOADS_FOLDER,
} from './walk.ts';

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
const MAX_KNOWN_ETAGS = 200_000;
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
  #used: Bytes = 0;
  readonly #namesIn = createFolderReader();
  readonly #etags = new Map<string, { readonly version: string; readonly etag: string }>();
  /** Files that are shown later, by their keys: a fault. */
  readonly #late = new Map<string, EpochMs>();

  private constructor(folder: string, capacity: Bytes) {
    this.#folder = folder;
    this.uploads = join(folder, UPLOADS_FOLDER);
    this.capacity = capacity;
  }

  static async open(folder: string, capacity: Bytes): Promise<Volume> {
    await makeFolder(folder);
    const volume = new Volume(folder, capacity);
    volume.#used = await sizeOf(folder);
    return volume;
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
    this.#remember(target, stats, etag);
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
    this.#remember(path, stats, etag);
    return etag;
  }

  #remember(path: string, stats: BigIntStats, etag: string): void {
    if (this.#etags.size >= MAX_KNOWN_ETAGS) this.#etags.clear();
    this.#etags.set(path, { version: versionOf(stats), etag });
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
