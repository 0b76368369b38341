/** What a thing of a fleet costs an hour before and after. */
import { unlessFailed } from '../../core/failure.ts';
import { type Json, type JsonObject, objectOf } from '../../core/json.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { catalogOf, type Cost, ofEndpoint, ofNewPod, ofPod, ofVolume, perHour, sum } from '../../cli/money.ts';
import { merged } from '../../cli/resource/request-body.ts';
import type { KindName } from './kinds.ts';

export interface ItemCost {
  readonly before: Cost;
  readonly after: Cost;
}

export const NO_COST: Cost = { hourly: { low: 0, high: 0 }, besides: [] };

/** `row` is undefined for what does not exist yet. A catalog that cannot be read leaves the price unknown. */
export async function costOf(
  ctx: CommandContext,
  kind: KindName,
  row: Json | undefined,
  body: JsonObject,
): Promise<ItemCost> {
  const of = async (thing: Json, isNew: boolean): Promise<Cost> => {
    if (kind === 'volume') return ofVolume(thing);
    if (kind === 'pod' && !isNew) return ofPod(thing);
    if (kind !== 'pod' && kind !== 'endpoint') return NO_COST;
    const catalog = (await unlessFailed(ctx, () => catalogOf(ctx, thing))) ?? [];
    return kind === 'pod' ? ofNewPod(thing, catalog) : ofEndpoint(thing, catalog);
  };
  if (row === undefined) return { before: NO_COST, after: await of(body, true) };
  return { before: await of(row, false), after: await of(merged(objectOf(row) ?? {}, body), false) };
}

/** `Cost: $0.00/h -> $0.69/h plus a container disk of 200 GB`; undefined where nothing changes. */
export function costLine({
  planned,
}: {
  readonly planned: readonly { readonly cost: ItemCost }[];
}): string | undefined {
  const [before, after] = [sum(planned.map(({ cost }) => cost.before)), sum(planned.map(({ cost }) => cost.after))];
  return perHour(before) === perHour(after)
    ? undefined
    : `Cost: ${perHour({ ...before, besides: [] })} -> ${perHour(after)}`;
}
