import type { DurableFiles } from '../../core/context.ts';

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

/**
 * Keeps what a file holds from an offset on, before it is cut there, in a file beside it that is named after the place.
 * What was kept of an earlier cut there stays too. Gives the name. Fails with local-file (14).
 */
export async function keepAside(durable: DurableFiles, path: string, from: number): Promise<string> {
  const first = `${path}.torn-${String(from)}`;
  let name = first;
  for (let count = 2; (await durable.size(name)) !== undefined; count++) name = `${first}.${String(count)}`;
  await writeWhole(durable, name, durable.read(path, from));
  return name;
}
