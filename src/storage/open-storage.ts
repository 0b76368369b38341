import type { DurableFiles, ObjectStorage } from '../core/context.ts';
import { createFolderStorage } from './folder-storage.ts';

/** The parts of the Context that storage uses. */
export interface StoragePorts {
  readonly files: DurableFiles;
  readonly random: () => number;
}

/** Opens files and objects by address. */
export const openStorage = ({ files, random }: StoragePorts): ObjectStorage => createFolderStorage(files, random);
