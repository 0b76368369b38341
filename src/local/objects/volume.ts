import { randomUUID } from 'node:crypto';
import {
  accessSync,
  type BigIntStats,
  constants,
  createReadStream,
  mkdirSync,
  promises as fs,
  renameSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from '../../core/files.ts';
import { decodeJson, numberAt, stringAt } from '../../core/json.ts';
import type { Bytes, EpochMs } from '../../core/unit-types.ts';
import { noSuchKey, ObjectError } from './answers.ts';
import {
  createFolderReader,
  isWithoutLinks,
  type ListedKey,
  type ListingOptions,
  listKeys,
  pathOfKey,
  statsAt,
  UPLOADS_FOLDER,
} from './listing.ts';
import { createEtags, type DigestedContent, type Etags, writeTemporary } from './write-file.ts';

/** A fault: files that are written but not shown yet. */
interface LateFiles {
  /** Keeps what a file is now, and returns where. */
  keep(path: string): Promise<string>;
  /** `before` is what was kept of the previous file. */
  hide(path: string, until: EpochMs, before: string | undefined): Promise<void>;
  show(now: number): Promise<void>;
}

interface LateFile {
  readonly held: string;
  readonly path: string;
  readonly until: EpochMs;
}

const RECORD = '.late.json';

async function openLateFiles(folder: string): Promise<LateFiles> {
  let files = await readRecords(folder);
  const newPath = async (): Promise<string> => {
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
    return join(folder, randomUUID());
  };
  return {
    keep: async (path) => {
      const kept = await newPath();
      await fs.link(path, kept);
      return kept;
    },
    hide: async (path, until, before) => {
      const held = await newPath();
      await fs.writeFile(`${held}${RECORD}`, JSON.stringify({ path, until }), { mode: 0o600 });
      await fs.rename(path, held);
      if (before !== undefined) await fs.rename(before, path);
      files.push({ held, path, until });
    },
    show: async (now) => {
      const due = files.filter(({ until }) => until <= now);
      if (due.length === 0) return;
      files = files.filter(({ until }) => until > now);
      for (const { held, path } of due) {
        await fs.mkdir(dirname(path), { recursive: true, mode: 0o700 });
        // Another process may have done it.
        await fs.rename(held, path).catch(() => undefined);
        await fs.rm(`${held}${RECORD}`, { force: true });
      }
    },
  };
}

async function readRecords(folder: string): Promise<LateFile[]> {
  const names = (await fs.readdir(folder).catch(() => [])).filter((name) => name.endsWith(RECORD));
  return Promise.all(
    names.map(async (name) => {
      const record = decodeJson(await fs.readFile(join(folder, name), 'utf8'));
      return {
        held: join(folder, name.slice(0, -RECORD.length)),
        path: stringAt(record, 'path') ?? '',
        until: numberAt(record, 'until') ?? 0,
      };
    }),
  );
}

/** Bytes. */
interface Space {
  /** Throws the refusal where the volume is full. */
  take(bytes: number): void;
  free(bytes: number): void;
  /** Throws the refusal where so much does not fit. */
  check(bytes: number): void;
}

/** Counts unfinished uploads too. `capacity` may change at any time. */
async function measureSpace(folder: string, capacity: () => number): Promise<Space> {
  let used = await sizeOf(folder);
  const check = (bytes: number): void => {
    if (used + bytes > capacity())
      throw new ObjectError(507, 'InsufficientStorage', 'There is no space left on the volume.');
  };
  return {
    check,
    take: (bytes) => {
      check(bytes);
      used += bytes;
    },
    free: (bytes) => {
      used = Math.max(0, used - bytes);
    },
  };
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await fs.readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += await sizeOf(path);
    // Another process may be writing it, and rename or remove it.
    else if (entry.isFile())
      bytes += await fs.stat(path).then(
        ({ size }) => size,
        () => 0,
      );
  }
  return bytes;
}

export interface FileOfVolume {
  readonly key: string;
  readonly path: string;
  readonly bytes: Bytes;
  /** With quotes. */
  readonly etag: string;
  readonly modifiedAt: EpochMs;
}

/** The largest content of one request (storage contract, Supported). */
export const MAX_PUT_BYTES: Bytes = 500_000_000;

export interface Volume {
  readonly space: Space;
  readonly uploads: string;
  readonly late: LateFiles;
  /** The uploads whose parts are being joined, by their ids. */
  readonly joins: Map<string, Promise<FileOfVolume>>;
  /** Throws the refusal where there is none. */
  find(key: string): Promise<FileOfVolume>;
  list(options: ListingOptions): AsyncGenerator<ListedKey>;
  read(file: FileOfVolume, start: number, end: number): AsyncIterable<Uint8Array>;
  /** Replaces the earlier file only when complete. */
  write(key: string, content: DigestedContent): Promise<FileOfVolume>;
  place(key: string, path: string, etag: string): Promise<FileOfVolume>;
  /** Also an empty folder. Does nothing where there is none. */
  remove(key: string): Promise<void>;
}

/** `records` is a folder beside it. `capacity` is in bytes and may change at any time. */
export async function openVolume(folder: string, records: string, capacity: () => number): Promise<Volume> {
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const etags = createEtags(records);
  const entriesOf = createFolderReader();
  const space = await measureSpace(folder, capacity);
  const uploads = join(folder, UPLOADS_FOLDER);

  const place = async (key: string, path: string, etag: (stats: BigIntStats) => Promise<string>) => {
    const target = pathOfKey(folder, key);
    if (!isWithoutLinks(folder, dirname(target))) throw occupied();
    try {
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      const before = sizeAt(target);
      renameSync(path, target);
      space.free(before);
    } catch (error) {
      throw isOccupied(error) ? occupied() : error;
    }
    const stats = statSync(target, { bigint: true });
    return fileOf(key, target, stats, await etag(stats));
  };

  return {
    space,
    uploads,
    joins: new Map(),
    late: await openLateFiles(join(uploads, 'late')),
    find: (key) => find(folder, etags, key),
    list: (options) => listKeys(folder, entriesOf, options),
    read: ({ path }, start, end) =>
      end <= start ? NOTHING : createReadStream(path, { start, end: end - 1, highWaterMark: 1_048_576 }),
    write: async (key, content) => {
      const target = pathOfKey(folder, key);
      if (key.endsWith('/')) return await makeFolder(folder, key, target, content);
      let taken = 0;
      try {
        const path = await writeTemporary(
          join(uploads, 'put'),
          content,
          (bytes) => {
            space.take(bytes);
            taken += bytes;
          },
          MAX_PUT_BYTES,
        );
        const etag = `"${content.md5().toString('hex')}"`;
        return await place(key, path, (stats) => {
          etags.remember(target, stats, etag);
          return Promise.resolve(etag);
        });
      } catch (error) {
        space.free(taken);
        throw error;
      }
    },
    place: (key, path, etag) =>
      place(key, path, async (stats) => {
        await etags.keep(key, stats, etag);
        return etag;
      }),
    remove: async (key) => {
      const path = pathOfKey(folder, key);
      if (!isWithoutLinks(folder, dirname(path))) return;
      const bytes = sizeAt(path);
      try {
        if (key.endsWith('/')) await fs.rmdir(path);
        else await fs.unlink(path);
        space.free(bytes);
      } catch (error) {
        const code = errorCode(error);
        if (!['ENOENT', 'ENOTDIR', 'EISDIR', 'EPERM', 'ENOTEMPTY'].includes(code ?? '')) throw error;
      }
    },
  };
}

/** 0 for anything but a file. */
function sizeAt(path: string): number {
  const stats = statsAt(path);
  return stats?.isFile() === true ? Number(stats.size) : 0;
}

const NOTHING: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true, value: undefined }) }),
};

async function find(folder: string, etags: Etags, key: string): Promise<FileOfVolume> {
  const path = pathOfKey(folder, key);
  if (!isWithoutLinks(folder, dirname(path))) throw noSuchKey();
  const stats = statsAt(path);
  const isFolder = stats?.isDirectory() === true;
  if (stats === undefined || isFolder !== key.endsWith('/') || (!isFolder && !stats.isFile())) throw noSuchKey();
  accessSync(path, constants.R_OK);
  return fileOf(key, path, stats, isFolder ? EMPTY_ETAG : await etags.of(path, key, stats));
}

const EMPTY_ETAG = '"d41d8cd98f00b204e9800998ecf8427e"';

const fileOf = (key: string, path: string, stats: BigIntStats, etag: string): FileOfVolume => ({
  key,
  path,
  bytes: key.endsWith('/') ? 0 : Number(stats.size),
  etag,
  modifiedAt: Number(stats.mtimeMs),
});

/** A key that ends with a slash makes a folder. */
async function makeFolder(
  folder: string,
  key: string,
  path: string,
  content: AsyncIterable<Uint8Array>,
): Promise<FileOfVolume> {
  for await (const chunk of content)
    if (chunk.byteLength > 0) throw new ObjectError(400, 'InvalidArgument', 'A folder has no content.');
  if (!isWithoutLinks(folder, path)) throw occupied();
  try {
    await fs.mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw isOccupied(error) ? occupied() : error;
  }
  return fileOf(key, path, await fs.stat(path, { bigint: true }), EMPTY_ETAG);
}

const isOccupied = (error: unknown): boolean =>
  ['EEXIST', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY'].includes(errorCode(error) ?? '');

const occupied = (): ObjectError =>
  new ObjectError(409, 'InvalidObjectState', 'A file is where a folder must be, or a folder where the file must be.');
