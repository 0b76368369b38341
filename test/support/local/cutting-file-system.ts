import { nodeFileSystem, type FileSystem } from '../../../src/local/state/file/file-system.ts';

/** A file system that is cut off at its operation of that number: a kill. Of a file that was being written, half is there. */
export function cutting(at: number): FileSystem & { readonly isCut: () => boolean } {
  let count = 0;
  const op = async (
    happen: () => Promise<void>,
    half: () => Promise<void> = () => Promise.resolve(),
  ): Promise<void> => {
    count += 1;
    if (count === at) await half();
    if (count >= at) throw new Error('killed');
    await happen();
  };
  return {
    create: (file, pieces) => {
      const text = [...pieces].join('');
      return op(
        () => nodeFileSystem.create(file, [text]),
        () => nodeFileSystem.create(file, [text.slice(0, text.length / 2)]),
      );
    },
    append: (descriptor, bytes, position) => {
      count += 1;
      if (count === at) nodeFileSystem.append(descriptor, bytes.subarray(0, bytes.byteLength / 2), position);
      if (count >= at) throw new Error('killed');
      nodeFileSystem.append(descriptor, bytes, position);
    },
    truncate: (descriptor, size) => {
      count += 1;
      if (count >= at) throw new Error('killed');
      nodeFileSystem.truncate(descriptor, size);
    },
    rename: (from, to) => op(() => nodeFileSystem.rename(from, to)),
    remove: (file) => op(() => nodeFileSystem.remove(file)),
    createFolder: (folder) => op(() => nodeFileSystem.createFolder(folder)),
    isCut: () => count >= at,
  };
}
