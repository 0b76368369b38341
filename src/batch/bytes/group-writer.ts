import type { AppendFile } from '../../core/context.ts';

/** Appends to a file with group commit: texts that arrive during a sync share the next write and sync. */
export interface GroupWriter {
  /**
   * Resolves when this text and all earlier ones are synced to disk: to wait for several, wait for the last. Fails with
   * local-file (14).
   */
  append(text: string): Promise<void>;
  /** Fails when another process wrote, truncated, removed or replaced the file. Call it only when no write is pending. */
  check(): Promise<void>;
  /** Resolves when no write is pending, whether the writes failed or not. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** Texts that are written and synced together. */
interface Group {
  readonly texts: string[];
  length: number;
  readonly synced: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Maximum number of characters in a group, unless one text is longer. Larger writes are not faster. */
const MAX_GROUP_LENGTH = 1024 * 1024;

/**
 * Creates a writer for a file. After the first failure every append fails: the position of the end of the file is no
 * longer known, and a record after an incomplete one could not be read.
 */
export function createGroupWriter(file: AppendFile): GroupWriter {
  const queue: Group[] = [];
  let broken: { readonly error: unknown } | undefined;
  let running: Promise<void> | undefined;

  const flush = async (): Promise<void> => {
    // Texts of the same turn of the event loop are written together.
    await Promise.resolve();
    for (let group = queue.shift(); group !== undefined; group = queue.shift()) {
      try {
        if (broken !== undefined) throw broken.error;
        await file.append(Buffer.from(group.texts.join('')));
        await file.sync();
        group.resolve();
      } catch (error) {
        broken ??= { error };
        group.reject(broken.error);
      }
    }
    running = undefined;
  };

  return {
    append: (text) => {
      let group = queue.at(-1);
      if (group === undefined || group.length + text.length > MAX_GROUP_LENGTH) queue.push((group = createGroup()));
      group.texts.push(text);
      group.length += text.length;
      running ??= flush();
      return group.synced;
    },
    idle: async () => {
      while (running !== undefined) await running;
    },
    check: () => file.check(),
    close: () => file.close(),
  };
}

function createGroup(): Group {
  let resolve = (): void => undefined;
  let reject = (_: unknown): void => undefined;
  const synced = new Promise<void>((onSynced, onFailed) => ([resolve, reject] = [onSynced, onFailed]));
  // A caller may wait only for a later group, which fails too.
  synced.catch(() => undefined);
  return { texts: [], length: 0, synced, resolve, reject };
}
