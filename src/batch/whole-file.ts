import type { DurableFiles } from '../core/context.ts';

/**
 * Writes a file whole and onto the disk, in place of what an earlier try left under its name. Fails with local-file (14),
 * and leaves nothing then.
 */
export async function writeWhole(
  durable: DurableFiles,
  path: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  await durable.remove(path);
  const file = await durable.create(path);
  try {
    for await (const piece of pieces) await file.append(piece);
    await file.sync();
    await file.close();
  } catch (error) {
    await file.close().catch(() => undefined);
    await durable.remove(path).catch(() => undefined);
    throw error;
  }
}
