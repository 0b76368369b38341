import type { FileLocks } from '../core/files/locks.ts';
import { queuesCodec } from './queue/state/codec.ts';
import type { FileSystem } from './state/file/file-system.ts';
import { createStateStore, type Store } from './state/file/store.ts';

/** A store whose state is in a file: see `createStateStore`. */
export const fileStore = (path: string, locks: FileLocks, system?: FileSystem): Store =>
  createStateStore(path, locks, [queuesCodec], system);
