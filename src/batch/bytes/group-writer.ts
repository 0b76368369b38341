import type { AppendFile } from '../../core/context.ts';

/** Maximum number of characters in a group, unless one text is longer. Larger writes are not faster. */
const MAX_GROUP_LENGTH = 1024 * 1024;

/**
 * Creates a writer for a file. After the first failure every append fails: the position of the end of the file is no
 * longer known, and a record after an incomplete one could not be read.
 */
export function createGroupWriter(file: AppendFile) {
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
    /**
     * Resolves when this text and all earlier ones are synced to disk: to wait for several, wait for the last. Fails with
     * local-file (14).
     */
    append: (text: string): Promise<void> => {
      let group = queue.at(-1);
      if (group === undefined || group.length + text.length > MAX_GROUP_LENGTH) queue.push((group = createGroup()));
      group.texts.push(text);
      group.length += text.length;
      running ??= flush();
      return group.synced;
    },
    /** Resolves when no write is pending, whether the writes failed or not. */
    idle: async (): Promise<void> => {
      while (running !== undefined) await running;
    },
    /** Fails when another process wrote, truncated, removed or replaced the file. Call it only when no write is pending. */
    check: (): Promise<void> => file.check(),
    close: (): Promise<void> => file.close(),
  };
}

/** Appends to a file with group commit: texts that arrive during a sync share the next write and sync. */
export type GroupWriter = ReturnType<typeof createGroupWriter>;

/** Texts that are written and synced together. */
function createGroup() {
  let resolve = (): void => undefined;
  let reject = (_: unknown): void => undefined;
  const synced = new Promise<void>((onSynced, onFailed) => ([resolve, reject] = [onSynced, onFailed]));
  // A caller may wait only for a later group, which fails too.
  synced.catch(() => undefined);
  const texts: string[] = [];
  return { texts, length: 0, synced, resolve, reject };
}

type Group = ReturnType<typeof createGroup>;
