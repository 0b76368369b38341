import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure, localFile } from '../../../core/failure.ts';
import { errorCode, errorReason, type HeldLock } from '../../../core/files.ts';
import type { State } from '../state.ts';
import { recordState, type PartCodec, type RecordedState } from './codec.ts';
import { nodeFileSystem, type FileSystem } from './file-system.ts';
import { cannotRead, loadChanges, loadState, type FileExtent } from './load-state.ts';
import { createLongTexts, type LongTexts } from './long-texts.ts';
import { openFile, type OpenFile } from './open-file.ts';
import { createTemporary, textFolder } from './text-folder.ts';
import type { Bytes } from '../../../core/unit-types.ts';

/** Use it between `open` and `close`, while the lock is held; long texts are read any time. */
export interface StateFile {
  /** Never fails: `state` does when the file cannot be read. */
  open(): void;
  close(): Promise<void>;
  /** `create` makes it when there is no file. Fails with local-file (14). */
  state(create: () => State): State;
  replace(state: State): void;
  /** Fails with local-file (14), also when another process has taken over the lock. */
  save(lock: HeldLock): Promise<void>;
  forget(): void;
}

interface Cached {
  readonly recorded: RecordedState;
  readonly texts: LongTexts;
  /** Absent when the file must be rewritten. */
  readonly extent?: FileExtent;
}

/** Rewritten when larger than this and more than twice its size at creation. */
const SMALL_FILE: Bytes = 65_536;

/** The state at creation, then one line per save; long texts by SHA-256: docs/decisions/0008. */
export function openStateFile(
  path: string,
  codecs: readonly PartCodec[],
  system: FileSystem = nodeFileSystem,
): StateFile {
  const folder = textFolder(path, system);
  let file: OpenFile | undefined;
  let openError: Failure | undefined;
  let cached: Cached | undefined;
  /** The start of the file that `cached` was read from, or written to. */
  let start = '';
  let swept = false;

  const reopen = (): void => {
    void file?.close();
    file = undefined;
    openError = undefined;
    try {
      file = openFile(path);
    } catch (error) {
      openError = error instanceof Failure ? error : cannotRead(path, error);
    }
  };

  const cache = (recorded: RecordedState, texts: LongTexts, extent?: FileExtent): Cached => {
    cached = { recorded, texts, ...(extent === undefined ? {} : { extent }) };
    return cached;
  };

  const load = (create: () => State): Cached => {
    if (openError !== undefined) throw openError;
    const texts = createLongTexts((name) => folder.read(name));
    if (file === undefined) return cache(recordState(create(), texts, codecs), texts);
    const { recorded, extent } = loadState(path, file, texts, codecs);
    texts.settle();
    ({ start } = file);
    return cache(recorded, texts, extent);
  };

  const append = (line: Uint8Array, extent: FileExtent, { descriptor, size }: OpenFile, lock: HeldLock): void => {
    lock.check();
    try {
      if (size > extent.complete) system.truncate(descriptor, extent.complete);
      system.append(descriptor, line, extent.complete);
    } catch (error) {
      // Every reader skips an incomplete line.
      cutBack(descriptor, extent.complete);
      throw error;
    }
    lock.check();
  };

  const cutBack = (descriptor: number, size: number): void => {
    try {
      system.truncate(descriptor, size);
    } catch {
      // The next process that writes does it.
    }
  };

  /** Through a temporary file in the lock's folder: docs/decisions/0009. */
  const rewrite = async ({ recorded, texts }: Cached, lock: HeldLock): Promise<void> => {
    await createTemporary(system, join(lock.folder, 'state'), recorded.lines(randomUUID()), async (temporary) => {
      // Another process that took over the lock has written: its state must not be overwritten.
      if (hasChanged()) throw lockLost(path);
      await system.rename(temporary, await realpath(path).catch(() => path));
    });
    reopen();
    if (file === undefined) throw openError ?? lockLost(path);
    ({ start } = file);
    cache(recorded, texts, { created: file.size, complete: file.size });
  };

  const hasChanged = (): boolean => {
    const found = openFile(path);
    void found?.close();
    return found?.start !== file?.start || found?.size !== file?.size;
  };

  const write = async (current: Cached, change: string, lock: HeldLock): Promise<void> => {
    const { recorded, texts, extent } = current;
    const line = Buffer.from(change);
    const size = (extent?.complete ?? 0) + line.byteLength;
    if (extent === undefined || file === undefined || size > Math.max(SMALL_FILE, 2 * extent.created))
      await rewrite(current, lock);
    else {
      append(line, extent, file, lock);
      file = { ...file, size };
      cache(recorded, texts, { ...extent, complete: size });
    }
  };

  return {
    open: () => {
      reopen();
      if (cached === undefined) return;
      const { recorded, texts, extent } = cached;
      if (file === undefined || extent === undefined || file.start !== start || file.size < extent.complete)
        cached = undefined;
      else if (file.size > extent.complete) {
        try {
          cache(recorded, texts, loadChanges(path, file, recorded, extent));
          texts.settle();
        } catch {
          // Reading all of it tells what is wrong.
          cached = undefined;
        }
      }
    },
    close: async () => {
      const closing = file?.close();
      file = undefined;
      await closing;
    },
    state: (create) => (cached ?? load(create)).recorded.state,
    replace: (state) => {
      const texts = createLongTexts((name) => folder.read(name));
      cache(recordState(state, texts, codecs), texts);
      swept = false;
    },
    save: async (lock) => {
      if (cached === undefined) return;
      const { recorded, texts } = cached;
      const change = recorded.change();
      if (change === undefined) return;
      try {
        await folder.write(texts.added);
        await write(cached, change, lock);
      } catch (error) {
        if (error instanceof Failure) throw error;
        // The lock's folder is removed when another process takes it over.
        if (errorCode(error) === 'ENOENT' && !existsSync(lock.folder)) throw lockLost(path);
        throw localFile(`cannot write the local service's state ${path}: ${errorReason(error)}`, undefined, error);
      }
      // A text that cannot be removed does no harm.
      await (swept ? folder.remove(texts.removed()) : folder.sweep(texts)).catch(() => undefined);
      swept = true;
      texts.settle();
    },
    forget: () => {
      cached = undefined;
      swept = false;
    },
  };
}

const lockLost = (path: string): Failure =>
  localFile(`another berth took over the local service's state ${path} from this one`, 'Try again.');
