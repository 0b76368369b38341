import type { FileLocks } from '../core/files.ts';
import { queuesCodec } from './queue/state/codec.ts';
import type { FileSystem } from './state/file/file-system.ts';
import { createStateStore, type Store } from './state/file/store.ts';

export const fileStore = (path: string, locks: FileLocks, system?: FileSystem): Store =>
  createStateStore(path, locks, [queuesCodec], system);
