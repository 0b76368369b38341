import type { DurableFiles } from '../../core/context.ts';

/**
 * Writes a file and syncs it, replacing one that an interrupted attempt left. Fails with local-file (14) and then removes
 * the file.
 */
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

/**
 * Copies the bytes of a file from an offset on to a new file beside it, before the file is truncated there. Returns the
 * name of the copy, which contains the offset; earlier copies are kept. Fails with local-file (14).
 */
export async function saveTail(durable: DurableFiles, path: string, offset: number): Promise<string> {
  const first = `${path}.torn-${String(offset)}`;
  let name = first;
  for (let count = 2; (await durable.size(name)) !== undefined; count++) name = `${first}.${String(count)}`;
  await writeSyncedFile(durable, name, durable.read(path, offset));
  return name;
}
