import {
  accessSync,
  constants,
  createReadStream,
  mkdirSync,
  promises as fs,
  renameSync,
  statSync,
  type BigIntStats,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { DigestedContent } from './digested-content.ts';
import { createEtags, type Etags } from './etags.ts';
import { openLateFiles, type LateFiles } from './late-files.ts';
import { createFolderReader, listKeys, type ListedKey, type ListingOptions } from './listing.ts';
import { noSuchKey, ObjectError } from '../answers/object-error.ts';
import { measureSpace, type Space } from './space.ts';
import { isWithoutLinks, pathOfKey, statsAt, UPLOADS_FOLDER } from './volume-paths.ts';
import { writeTemporary } from './write-file.ts';
import { errorCode } from '../../../core/files/file-errors.ts';
import type { Bytes, EpochMs } from '../../../core/unit-types.ts';

/** A file of a volume. */
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

/** The files of one volume, in a folder of its own. */
export interface Volume {
  readonly space: Space;
  /** The folder of the parts of unfinished uploads. */
  readonly uploads: string;
  readonly late: LateFiles;
  /** The uploads whose parts are being joined, by their ids. */
  readonly joins: Map<string, Promise<FileOfVolume>>;
  /** Throws the refusal where there is none. */
  find(key: string): Promise<FileOfVolume>;
  list(options: ListingOptions): AsyncGenerator<ListedKey>;
  read(file: FileOfVolume, start: number, end: number): AsyncIterable<Uint8Array>;
  /** Writes a file whole; it replaces another one when it is complete. */
  write(key: string, content: DigestedContent): Promise<FileOfVolume>;
  /** Puts a file that was written at a path into its place, with this ETag. */
  place(key: string, path: string, etag: string): Promise<FileOfVolume>;
  /** Removes a file, or an empty folder. Does nothing where there is none. */
  remove(key: string): Promise<void>;
}

/** Opens the volume in a folder; `records` is a folder beside it. `capacity` is its size in bytes, at any time. */
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

/** The size of a file; 0 for anything else. */
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

/** The ETag of no content. */
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
