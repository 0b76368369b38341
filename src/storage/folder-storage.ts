import { usage } from '../core/failure.ts';
import type { DurableFiles, FolderEntry, ObjectStorage, StoredObject } from '../core/context.ts';
import type { Bytes } from '../core/unit-types.ts';
import { compareBytes } from '../core/text.ts';
import { parsePattern } from './objects/address-pattern.ts';
import { changedObject, notAsWritten } from './objects/stored-object-failures.ts';

/** Written as NAME.RANDOM.partial, flushed and renamed. A crash may leave that file; `list` shows it. */
export function createFolderStorage(files: DurableFiles, random: () => number): ObjectStorage {
  const describe = async (address: string): Promise<StoredObject | undefined> => {
    const found = await files.describe(address);
    return found === undefined ? undefined : { address, ...found };
  };
  return {
    list: async function* (pattern, signal) {
      const { prefix, matches } = parsePattern(pattern);
      for await (const address of filesBelow(files, prefix, signal)) {
        const object = matches(address) ? await describe(address) : undefined;
        if (object !== undefined) yield object;
      }
    },
    describe,
    read: (object, start, end, signal) => readFile(files, object, start, end, signal),
    write: async (address, chunks, signal) => {
      await makeFolderOf(files, address);
      const temporary = `${address}.${randomName(random)}.partial`;
      try {
        const bytes = await writeWhole(files, temporary, chunks, signal);
        await files.replace(temporary, address);
        return await writtenObject(files, address, bytes);
      } catch (error) {
        await files.remove(temporary).catch(() => undefined);
        throw error;
      }
    },
    create: async (address, content) => {
      await makeFolderOf(files, address);
      const file = await files.create(address).catch(async (error: unknown) => {
        if ((await files.resolve(address)).kind === 'nothing') throw error;
        return undefined;
      });
      if (file === undefined) return false;
      try {
        await file.append(content);
        await file.sync();
        await file.close();
      } catch (error) {
        await files.remove(address).catch(() => undefined);
        throw error;
      }
      return true;
    },
    remove: (address) => files.remove(address),
  };
}

/** Creates the folder of a file. Fails with usage (2) for an address that names no file. */
async function makeFolderOf(files: DurableFiles, address: string): Promise<void> {
  const slash = address.lastIndexOf('/');
  if (slash === address.length - 1) throw usage(`${JSON.stringify(address)} is not the name of a file`);
  if (slash > 0) await files.makeFolder(address.slice(0, slash));
}

async function* filesBelow(
  files: DurableFiles,
  prefix: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  const slash = prefix.lastIndexOf('/');
  const folder = prefix.slice(0, slash + 1);
  signal?.throwIfAborted();
  const entries = await files.entries(folder === '' ? '.' : folder);
  for (const { name, kind } of entries.toSorted(compareEntries)) {
    const path = `${folder}${name}`;
    if (kind === 'file' && path.startsWith(prefix)) yield path;
    const below = `${path}/`;
    if (kind === 'folder' && (below.startsWith(prefix) || prefix.startsWith(below)))
      yield* filesBelow(files, below, signal);
  }
}

/** Compares as the complete paths compare: all that is in a folder begins with its name and a slash. */
const compareEntries = (one: FolderEntry, other: FolderEntry): number => compareBytes(sortName(one), sortName(other));

const sortName = ({ name, kind }: FolderEntry): string => (kind === 'folder' ? `${name}/` : name);

async function* readFile(
  files: DurableFiles,
  { address, bytes, version }: StoredObject,
  start = 0,
  end = bytes,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const check = async (): Promise<void> => {
    signal?.throwIfAborted();
    if ((await files.describe(address))?.version !== version) throw changedObject(address);
  };
  await check();
  let left = end - start;
  if (left <= 0) return;
  for await (const chunk of files.read(address, start)) {
    // After the chunk was read: it is of the known version when the version is still the same.
    await check();
    const wanted = chunk.subarray(0, left);
    left -= wanted.byteLength;
    yield wanted;
    if (left === 0) return;
  }
  throw changedObject(address);
}

async function writeWhole(
  files: DurableFiles,
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<Bytes> {
  const file = await files.create(path);
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      signal?.throwIfAborted();
      await file.append(chunk);
      bytes += chunk.byteLength;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return bytes;
}

async function writtenObject(files: DurableFiles, address: string, bytes: Bytes): Promise<StoredObject> {
  const found = await files.describe(address);
  if (found?.bytes === bytes) return { address, ...found };
  throw notAsWritten(address);
}

const randomName = (random: () => number): string => Math.floor(random() * 2 ** 40).toString(36);
