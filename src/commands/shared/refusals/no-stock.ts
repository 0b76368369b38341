import { memberAt, stringsOf, type JsonObject } from '../../../core/json.ts';
import { unlessFailed } from '../../../core/failure.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { placeOfVolume } from '../capacity/volume-place.ts';
import { findStock, noStockSentence, wantedByPod } from '../explain/stock.ts';
import { podRefusals } from './by-catalog.ts';

/**
 * Says in a dry run that the catalog has none of the hardware of a new pod now. It is no refusal: the catalog may lag, and stock
 * changes until the create is sent. Nothing is said where the catalog cannot be read.
 */
export async function tellNoStock(ctx: CommandContext, body: JsonObject): Promise<void> {
  const wanted = ctx.dryRun ? wantedByPod(body) : undefined;
  if (wanted === undefined) return;
  const named = stringsOf(memberAt(body, 'dataCenterIds'));
  const stock = await unlessFailed(ctx, async () => {
    // The failure of the dry run says it better.
    if ((await podRefusals(ctx, body)).length > 0) return undefined;
    const place = (await placeOfVolume(ctx, body, named))?.dataCenter;
    const places = place === undefined ? named : [place];
    return findStock(
      wanted,
      (await ctx.api.send(wanted.request)).value ?? null,
      places.length === 0 ? undefined : places,
    );
  });
  if (stock?.here.length === 0)
    await ctx.tell(`The catalog has ${noStockSentence(stock)} now: a create would find no room.`);
}
