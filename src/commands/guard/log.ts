/** The log of a guard: what was decided, a JSON object on each line. */
import { localFile, messageOf } from '../../core/failure.ts';
import { encodeJson, type Json } from '../../core/json.ts';
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
  const exists = (await files.describe(path)) !== undefined;
  try {
    const file = await (exists ? files.open(path) : files.create(path));
    try {
      await file.append(new TextEncoder().encode(rows.map((row) => `${encodeJson(row)}\n`).join('')));
    } finally {
      await file.close();
    }
  } catch (error) {
    throw localFile(`cannot append to --log ${path}: ${messageOf(error)}`);
  }
}
