import { fileStore as openFileStore } from '../../../src/local/file-store.ts';
import type { Store } from '../../../src/local/state/file/store.ts';
import type { FileSystem } from '../../../src/local/state/file/file-system.ts';
import { realLocks } from '../files/real-locks.ts';

/** A state in a file, as one process has it. */
export const fileStore = (path: string, system?: FileSystem): Store => openFileStore(path, realLocks(), system);
