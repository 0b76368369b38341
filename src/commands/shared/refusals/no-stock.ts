import { memberAt, numberAt, stringAt, stringsOf, type JsonObject } from '../../../core/json.ts';
import { unlessFailed } from '../../../core/failure.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { findStock, noStockSentence, wantedByPod } from '../explain/stock.ts';

/**
 * Says in a dry run that the catalog has none of the hardware of a new pod now. It is no refusal: the catalog may lag, and stock
 * changes until the create is sent. Nothing is said where the catalog cannot be read.
 */
export async function tellNoStock(ctx: CommandContext, body: JsonObject): Promise<void> {
  const wanted = ctx.dryRun ? wantedByPod(body) : undefined;
  if (wanted === undefined) return;
  const named = stringsOf(memberAt(body, 'dataCenterIds'));
  const stock = await unlessFailed(ctx, async () =>
    findStock(wanted, (await ctx.api.send(wanted.request)).value ?? null, named.length === 0 ? undefined : named),
  );
  if (stock?.here.length === 0)
    await ctx.tell(`The catalog has ${noStockSentence(stock)} now: a create would find no room.`);
}

/** The body of one pod of a cluster. */
export const podOfCluster = (body: JsonObject): JsonObject => ({
  gpu: { id: stringAt(body, 'compute.gpuTypeId') ?? '', count: numberAt(body, 'compute.gpuCountPerPod') ?? 1 },
  ...Object.fromEntries(
    ['dataCenterIds', 'templateId'].flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
  ),
});
