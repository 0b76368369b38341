import type { Json } from '../../core/json.ts';
import type { Result } from '../../output/view.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { rowOf, viewOf, type FileOutcome } from '../shared/paths/file-outcomes.ts';
import { createTally, type Tally } from './copy/tally.ts';

/**
 * Prints what became of each file as it comes, and with `hasWhole` an object for the whole in JSON, then `notes`; it fails with the worst
 * of the failures. `done` is the participle. With `--jq`, which filters the whole list, it is printed at the end.
 */
export async function printOutcomes(
  ctx: CommandContext,
  outcomes: AsyncIterable<FileOutcome>,
  done: string,
  {
    tally = createTally(ctx),
    hasWhole = false,
    notes = [],
  }: { readonly tally?: Tally; readonly hasWhole?: boolean; readonly notes?: readonly string[] } = {},
): Promise<Result> {
  const view = viewOf(done);
  const isHeld = ctx.output.jq !== undefined;
  const values: Json[] = [];
  const rows = isHeld ? undefined : ctx.rows(view);
  const print = async (row: Json): Promise<void> => {
    if (rows === undefined) values.push(row);
    else await rows.row(row);
  };
  try {
    for await (const outcome of outcomes) {
      tally.add(outcome);
      await print(rowOf(ctx, outcome));
    }
    if (hasWhole && rows?.isJson !== false) await print({ whole: tally.whole() });
  } finally {
    await rows?.close();
  }
  const end = { notes: [tally.sentence(done), ...notes], failure: tally.failure() };
  return isHeld ? { kind: 'many', view, values, ...end } : { kind: 'nothing', ...end };
}
