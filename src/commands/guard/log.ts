/** The log of a guard: what was decided, a JSON object on each line. */
import { localFile, messageOf } from '../../core/failure.ts';
import { encodeJson, type Json } from '../../core/json.ts';
import type { DurableFiles } from '../../core/ports/files.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { option, type Params } from '../../cli/model/params.ts';

export const LOG_OPTION = {
  log: option.text('append what was decided to this file, a JSON object on each line', {
    metavar: 'FILE',
    complete: 'file',
  }),
} as const satisfies Params;

/** Appends rows to the log, each in one write with its end of line. Fails with local-file (14). */
export async function appendLog(ctx: CommandContext, path: string | undefined, rows: readonly Json[]): Promise<void> {
  if (path === undefined || rows.length === 0) return;
  const files = await ctx.durable();
  const { kind } = await files.resolve(path);
  if (kind === 'directory' || kind === 'other')
    throw localFile(`cannot append to --log ${path}: it is ${kind === 'directory' ? 'a folder' : 'no regular file'}`);
  const found = await files.describe(path);
  try {
    // A line of somebody else that has no end yet stays a line of its own.
    const before = found === undefined || (await endsLine(files, path, found.bytes)) ? '' : '\n';
    const file = await (found === undefined ? files.create(path) : files.open(path));
    try {
      await file.append(new TextEncoder().encode(before + rows.map((row) => `${encodeJson(row)}\n`).join('')));
    } finally {
      await file.close();
    }
  } catch (error) {
    throw localFile(`cannot append to --log ${path}: ${messageOf(error)}`);
  }
}

/** Whether a file is empty, or ends with the end of a line. */
async function endsLine(files: DurableFiles, path: string, bytes: number): Promise<boolean> {
  if (bytes === 0) return true;
  for await (const chunk of files.read(path, bytes - 1)) return chunk[0] === 0x0a;
  return true;
}
