import { batchStatus, type BatchStatus } from '../../../batch/index.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/context.ts';
import type { Result } from '../../../output/view.ts';
import { resumeLine } from './command-lines.ts';
import type { StatusValues } from './flags.ts';
import { batchView, summaryOf } from './view.ts';

/** Shows the state of a batch from its journal. Fails with local-file (14). */
export async function status(ctx: CommandContext, values: StatusValues): Promise<Result> {
  const batch = await batchStatus(await ctx.durable(), values.results);
  const { results, counts, resumable, onLocalService, begunAt } = batch;
  const incomplete = counts.completed !== counts.planned;
  return {
    kind: 'one',
    view: batchView,
    value: summaryOf(batch, { ...stateMembers(batch), begun: new Date(begunAt).toISOString() }),
    exit: values.exitStatus && incomplete ? EXIT.batchIncomplete : EXIT.done,
    notes: batch.holder === undefined && resumable ? [`Go on with: ${resumeLine(onLocalService, results)}`] : [],
  };
}

/** `pid` and `host` are those of the process that works on the batch. */
const stateMembers = ({ state, holder, unordered }: BatchStatus): JsonObject => ({
  state,
  ...(holder === undefined ? {} : { pid: holder.pid, host: holder.host }),
  ...(unordered ? { unordered } : {}),
});
