import { listBatches as batchesOf } from '../../batch/index.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { combinedFailure, errorOf, type Outcome } from '../../cli/resource/several.ts';
import { type StatusMember, statusMembers } from './report-document.ts';
import { batchView, OUTCOMES } from './summary-view.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { type Json, numberAt } from '../../core/json.ts';
import { text } from '../../output/cells.ts';
import type { Column, Result, View } from '../../output/view.ts';

/**
 * Lists the batches of a folder. Changes nothing. A batch that cannot be read has a row that says so, and the list ends with its
 * failure. Fails with local-file (14) where there is no such folder.
 */
export async function listBatches(
  ctx: CommandContext,
  { folder = '' }: { readonly folder: string | undefined },
): Promise<Result> {
  const rows: Json[] = [];
  const ended: Outcome[] = [];
  for await (const { name, status } of batchesOf({ durable: await ctx.durable() }, folder))
    try {
      rows.push(statusMembers(await status()));
      ended.push({ id: name, failure: undefined });
    } catch (failure) {
      if (!(failure instanceof Failure && failure.exit === EXIT.localFile)) throw failure;
      ended.push({ id: name, failure });
      if (ctx.output.format !== 'id')
        rows.push({ batch: name, state: 'broken', error: errorOf(failure, ctx.settings) });
    }
  return { kind: 'many', view: listView(rows), values: rows, failure: combinedFailure(ended) };
}

/** Always shown; the others if a batch has some, or with -o wide. */
const ALWAYS: readonly StatusMember[] = ['completed', 'failed', 'unknown', 'waiting'];

function listView(rows: readonly Json[]): View {
  const word = (name: StatusMember): Column => ({ header: name.toUpperCase(), show: text(name) });
  const counts = OUTCOMES.map(([name, label]): Column => ({
    header: label.toUpperCase(),
    show: text(name),
    right: true,
    wide: !ALWAYS.includes(name) && rows.every((row) => (numberAt(row, name) ?? 0) === 0),
  }));
  return {
    ...batchView,
    columns: [
      word('batch'),
      word('state'),
      { ...word('planned'), right: true },
      ...counts,
      word('endpoint'),
      word('begun'),
    ],
  };
}
