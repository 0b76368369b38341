import { memberAt, stringAt, stringsOf, type Json, type JsonObject } from '../../../core/json.ts';
import { unlessFailed } from '../../../core/failure.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { placeOfVolume } from '../capacity/volume-place.ts';
import { labelOf } from '../../../cli/resource/choose.ts';
import { findStock, noStockSentence, wantedByPod, type StockFinding } from '../explain/stock.ts';
import { podRefusals } from './would-be-refused.ts';

/**
 * Says in a dry run that the catalog has none of the hardware of a new pod now. It is no refusal: the catalog may lag, and stock
 * changes until the create is sent. Nothing is said where the catalog cannot be read.
 */
export async function tellNoStock(ctx: CommandContext, body: JsonObject): Promise<void> {
  if (!ctx.dryRun) return;
  const named = stringsOf(memberAt(body, 'dataCenterIds'));
  const stock = await unlessFailed(ctx, async () => {
    // The failure of the dry run says it better.
    if ((await podRefusals(ctx, body)).length > 0) return undefined;
    const place = (await placeOfVolume(ctx, body, named))?.dataCenter;
    return await readStock(ctx, body, place === undefined ? named : [place]);
  });
  if (stock?.here.length === 0)
    await ctx.tell(`The catalog has ${noStockSentence(stock)} now: a create would find no room.`);
}

/**
 * The same of stopped pods, a sentence for each that its data center has no hardware for: its own machine may be full where
 * others are free.
 */
export async function noStockToStart(ctx: CommandContext, pods: readonly Json[]): Promise<readonly string[]> {
  const sentences: string[] = [];
  for (const pod of ctx.dryRun ? pods : []) {
    const place = stringAt(pod, 'dataCenterId');
    const stock = await unlessFailed(ctx, () => readStock(ctx, pod, place === undefined ? [] : [place]));
    if (stock?.here.length === 0)
      sentences.push(`The catalog has ${noStockSentence(stock)} now: a start of ${labelOf(pod)} would find no room.`);
  }
  return sentences;
}

/** Reads where the hardware of a pod is in stock, of these data centers, or of all. Fails as the catalog does. */
async function readStock(ctx: CommandContext, pod: Json, places: readonly string[]): Promise<StockFinding | undefined> {
  const wanted = wantedByPod(pod);
  if (wanted === undefined) return undefined;
  const catalog = (await ctx.api.send(wanted.request)).value ?? null;
  return findStock(wanted, catalog, places.length === 0 ? undefined : places);
}
