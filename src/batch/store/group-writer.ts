import type { AppendFile } from '../../core/context.ts';

/** A file that is written in groups: whoever comes while the disk is busy goes together with the next sync. */
export interface Appender {
  /**
   * Resolves when this text, and all before it, are on the disk: of many, waiting for the last is enough. Fails with
   * local-file (14).
   */
  put(text: string): Promise<void>;
  /** Fails where somebody else wrote, cut, removed or replaced the file; to be called when nothing is under way. */
  check(): Promise<void>;
  /** Resolves when nothing is under way, however that ended. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** What goes to the disk together. */
interface Group {
  readonly texts: string[];
  length: number;
  readonly written: Promise<void>;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** Characters of a group, unless one text is longer: a write of so many is as fast as any. */
const GROUP_LENGTH = 1024 * 1024;

/**
 * Appends to a file. After the first failure it takes nothing more: where the end of the file then lies is not known, and
 * a later record behind a torn one would be lost.
 */
export function createAppender(file: AppendFile): Appender {
  const waiting: Group[] = [];
  let broken: { readonly error: unknown } | undefined;
  let running: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    // Those who come in the same turn of the event loop go together.
    await Promise.resolve();
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      try {
        if (broken !== undefined) throw broken.error;
        await file.append(Buffer.from(group.texts.join('')));
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
    put: (text) => {
      let group = waiting.at(-1);
      if (group === undefined || group.length + text.length > GROUP_LENGTH) waiting.push((group = createGroup()));
      group.texts.push(text);
      group.length += text.length;
      running ??= run();
      return group.written;
    },
    idle: async () => {
      while (running !== undefined) await running;
    },
    check: () => file.check(),
    close: () => file.close(),
  };
}

function createGroup(): Group {
  let done = (): void => undefined;
  let failed = (_: unknown): void => undefined;
  const written = new Promise<void>((resolve, reject) => ([done, failed] = [resolve, reject]));
  // Whoever waits for a later group alone hears of it there.
  written.catch(() => undefined);
  return { texts: [], length: 0, written, done, failed };
}
