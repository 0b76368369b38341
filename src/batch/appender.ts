import type { AppendFile } from '../core/context.ts';

/** A file that is written in groups: whoever comes while the disk is busy goes together with the next sync. */
export interface Appender {
  /** Resolves when these bytes, and all before them, are on the disk. Fails with local-file (14). */
  put(bytes: Uint8Array): Promise<void>;
  /** Bytes of the file with everything that was put so far. */
  readonly end: number;
  /** Resolves when nothing is under way, however that ended. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

interface Entry {
  readonly bytes: Uint8Array;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** A group's size, unless one entry is larger: a write of this many bytes is as fast as any. */
const GROUP_BYTES = 1024 * 1024;

/**
 * Appends to a file that is `size` bytes long. After the first failure it takes nothing more: where the end of the file
 * then lies is not known, and a later record behind a torn one would be lost.
 */
export function createAppender(file: AppendFile, size: number): Appender {
  let waiting: Entry[] = [];
  let end = size;
  let broken: { readonly error: unknown } | undefined;
  let running: Promise<void> | undefined;

  const takeGroup = (): Entry[] => {
    let bytes = 0;
    let count = 0;
    for (const entry of waiting) {
      if (count > 0 && bytes + entry.bytes.byteLength > GROUP_BYTES) break;
      bytes += entry.bytes.byteLength;
      count += 1;
    }
    const group = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return group;
  };

  const run = async (): Promise<void> => {
    // Those who come in the same turn of the event loop go together.
    await Promise.resolve();
    while (waiting.length > 0) {
      const group = takeGroup();
      try {
        if (broken !== undefined) throw broken.error;
        await file.append(Buffer.concat(group.map(({ bytes }) => bytes)));
        await file.sync();
        for (const { done } of group) done();
      } catch (error) {
        broken ??= { error };
        for (const { failed } of group) failed(broken.error);
      }
    }
    running = undefined;
  };

  return {
    put: (bytes) =>
      new Promise((done, failed) => {
        end += bytes.byteLength;
        waiting.push({ bytes, done, failed });
        running ??= run();
      }),
    get end() {
      return end;
    },
    idle: async () => {
      while (running !== undefined) await running;
    },
    close: () => file.close(),
  };
}
