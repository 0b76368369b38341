import type { CommandContext } from '../../cli/model/context.ts';
import type { SortedItems } from '../../core/ports/files.ts';
import type { Json } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import { isJsonFormat, isPrintedByPage } from '../../output/formats/format-table.ts';
import type { Result, View } from '../../output/view.ts';

/** How many rows are printed at once. */
const AT_ONCE = 1000;

/**
 * Prints a list that is known to be whole: without holding it where the format allows that, which a table of a terminal and
 * `--jq` do not.
 */
export async function printLongList(
  ctx: CommandContext,
  view: View,
  rows: SortedItems<Json>,
  notes: readonly Message[],
): Promise<Result> {
  const { format, jq, fields } = ctx.output;
  const isHeld = jq !== undefined || fields !== undefined;
  if (isHeld || !(isJsonFormat(format) || isPrintedByPage(ctx.output, ctx.terminal.output))) {
    const values: Json[] = [];
    for await (const row of rows) values.push(row);
    return { kind: 'many', view, values, notes };
  }
  let group: Json[] = [];
  const writer = ctx.rows(view);
  const flush = async (): Promise<void> => {
    await writer.rows(group);
    group = [];
  };
  let isEmpty = true;
  for await (const row of rows) {
    isEmpty = false;
    group.push(row);
    if (group.length === AT_ONCE) await flush();
  }
  if (isEmpty) return { kind: 'many', view, values: [], notes };
  await flush();
  await writer.close();
  return { kind: 'nothing', notes };
}
