import type { AppendFile, DurableFiles } from '../../core/context.ts';
import type { Bytes } from '../../core/unit-types.ts';

function createDeferred() {
  let resolve = (): void => undefined;
  let reject = (_: unknown): void => undefined;
  const promise = new Promise<void>((onDone, onFailed) => ([resolve, reject] = [onDone, onFailed]));
  // Nobody may wait for it, or only for a later one that fails too.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

/** Characters, unless one text is longer. Larger writes are not faster. */
const MAX_GROUP_LENGTH = 1024 * 1024;

/** After one failure every append fails: the end is unknown, and a record after it could not be read. */
export function createGroupWriter(file: AppendFile, afterSync?: (bytes: Bytes, last: string) => Promise<void>) {
  const queue: Group[] = [];
  let broken: { readonly error: unknown } | undefined;
  let running: Promise<void> | undefined;

  const flush = async (): Promise<void> => {
    // Texts of the same turn of the event loop are written together.
    await Promise.resolve();
    for (let group = queue.shift(); group !== undefined; group = queue.shift()) {
      try {
        if (broken !== undefined) throw broken.error;
        const bytes = Buffer.from(group.texts.join(''));
        await file.append(bytes);
        await file.sync();
        await afterSync?.(bytes.byteLength, group.texts.at(-1) ?? '');
        group.synced.resolve();
      } catch (error) {
        broken ??= { error };
        group.synced.reject(broken.error);
      }
    }
    running = undefined;
  };

  return {
    /** Resolves when all earlier texts are synced too: await the last only. Fails with local-file (14). */
    append: (text: string): Promise<void> => {
      let group = queue.at(-1);
      if (group === undefined || group.length + text.length > MAX_GROUP_LENGTH) queue.push((group = createGroup()));
      group.texts.push(text);
      group.length += text.length;
      running ??= flush();
      return group.synced.promise;
    },
    /** Resolves when no write is pending, whether the writes failed or not. */
    idle: async (): Promise<void> => {
      while (running !== undefined) await running;
    },
    /** Fails when another process changed the file. Call it only when no write is pending. */
    check: (): Promise<void> => file.check(),
    close: (): Promise<void> => file.close(),
  };
}

const createGroup = () => ({ texts: [] as string[], length: 0, synced: createDeferred() });

type Group = ReturnType<typeof createGroup>;

/** Replaces what an interrupted attempt left; removes the file on failure. Fails with local-file (14). */
export async function writeSyncedFile(
  durable: DurableFiles,
  path: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  await durable.remove(path);
  const file = await durable.create(path);
  try {
    for await (const chunk of chunks) await file.append(chunk);
    await file.sync();
    await file.close();
  } catch (error) {
    await file.close().catch(() => undefined);
    await durable.remove(path).catch(() => undefined);
    throw error;
  }
}

/** Call it before a truncation. A numbered name keeps earlier copies. Fails with local-file (14). */
export async function saveTail(durable: DurableFiles, path: string, offset: number, first: string): Promise<string> {
  let name = first;
  for (let count = 2; (await durable.size(name)) !== undefined; count++) name = `${first}.${String(count)}`;
  await writeSyncedFile(durable, name, durable.read(path, offset));
  return name;
}
