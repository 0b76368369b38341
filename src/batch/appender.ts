import type { AppendFile } from '../core/context.ts';

/** A file that is written in groups: whoever comes while the disk is busy goes together with the next sync. */
export interface Appender {
  /**
   * Resolves when these bytes, and all before them, are on the disk: of many, waiting for the last is enough. Fails with
   * local-file (14).
   */
  put(bytes: Uint8Array): Promise<void>;
  /** Bytes of the file with everything that was put so far. */
  readonly end: number;
  /** Resolves when nothing is under way, however that ended. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** What goes to the disk together. */
interface Group {
  readonly parts: Uint8Array[];
  bytes: number;
  readonly written: Promise<void>;
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
  const waiting: Group[] = [];
  let end = size;
  let broken: { readonly error: unknown } | undefined;
  let running: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    // Those who come in the same turn of the event loop go together.
    await Promise.resolve();
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      try {
        if (broken !== undefined) throw broken.error;
        await file.append(Buffer.concat(group.parts, group.bytes));
        await file.sync();
        group.done();
      } catch (error) {
        broken ??= { error };
        group.failed(broken.error);
      }
    }
    running = undefined;
  };

  return {
    put: (bytes) => {
      let group = waiting.at(-1);
      if (group === undefined || group.bytes + bytes.byteLength > GROUP_BYTES) waiting.push((group = createGroup()));
      group.parts.push(bytes);
      group.bytes += bytes.byteLength;
      end += bytes.byteLength;
      running ??= run();
      return group.written;
    },
    get end() {
      return end;
    },
    idle: async () => {
      while (running !== undefined) await running;
    },
    close: () => file.close(),
  };
}

function createGroup(): Group {
  let done = (): void => undefined;
  let failed = (_: unknown): void => undefined;
  const written = new Promise<void>((resolve, reject) => ([done, failed] = [resolve, reject]));
  return { parts: [], bytes: 0, written, done, failed };
}
