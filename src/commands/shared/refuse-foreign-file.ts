import { localFile } from '../../core/failure.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import type { Bytes } from '../../core/unit-types.ts';

/** How much of a file is looked at. */
const BEGINNING_BYTES: Bytes = 2048;

/**
 * Refuses to write over a file that the command did not write before, also through a link: local-file (14). An empty file counts
 * as none. `isOwn` gets the beginning of the file; `what` is what the command writes, `option` the one that names the file.
 */
export async function refuseForeignFile(
  ctx: CommandContext,
  name: string,
  { isOwn, what, option }: { isOwn: (beginning: string) => boolean; what: string; option: string },
): Promise<void> {
  const durable = await ctx.durable();
  const { path, kind } = await durable.resolve(name);
  if (kind === 'directory' || kind === 'other')
    throw localFile(`${name} is no file that can be written`, `Name another one: ${option}.`);
  if (kind !== 'file' || ((await durable.size(path)) ?? 0) === 0) return;
  if (isOwn(await beginningOf(durable.read(path, 0)))) return;
  throw localFile(`${name} exists already, and is no ${what}: it stays as it is`, `Name another file: ${option}.`);
}

async function beginningOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  for await (const chunk of chunks) return new TextDecoder().decode(chunk.subarray(0, BEGINNING_BYTES));
  return '';
}
