import { unlessFailed } from '../../core/failure.ts';
import { numberAt, objectOf, stringAt, type Json, type JsonObject } from '../../core/json.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { merged } from '../../cli/resource/body/compose-body.ts';
import { lookupRows } from '../../cli/resource/identity/requests.ts';
import { catalogPrice } from '../pods/pod/price.ts';
import { volumeHourly } from '../shared/rate/volume-price.ts';
import { priceCatalog, workerHourlyPrice } from '../shared/rate/worker-price.ts';
import type { KindName } from './document/kinds.ts';

/** US dollars an hour; undefined where the service or the specification has no price. */
export interface Cost {
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/**
 * What a thing costs an hour before and after a change: a pod while it runs, a volume, and the workers of an endpoint that
 * always run, at the lowest price of their hardware (specification 8.4). Fails only when it is interrupted.
 */
export async function costOf(
  ctx: CommandContext,
  kind: KindName,
  row: Json | undefined,
  body: JsonObject,
): Promise<Cost> {
  const price = async (thing: Json): Promise<number | undefined> => {
    if (kind === 'volume')
      return stringAt(thing, 'type') === 'HIGH_PERFORMANCE' ? undefined : volumeHourly(numberAt(thing, 'size') ?? 0);
    if (kind === 'endpoint') return await workersPrice(ctx, thing);
    if (kind === 'pod') return await unlessFailed(ctx, async () => (await catalogPrice(ctx, thing))?.perHour);
    return 0;
  };
  if (row === undefined) return { before: 0, after: await price(body) };
  // A pod keeps its hardware; its price is its own, and 0 while it is stopped.
  if (kind === 'pod') return { before: numberAt(row, 'cost'), after: numberAt(row, 'cost') };
  return { before: await price(row), after: await price(merged(objectOf(row) ?? {}, body)) };
}

async function workersPrice(ctx: CommandContext, endpoint: Json): Promise<number | undefined> {
  const least = numberAt(endpoint, 'workers.min') ?? 0;
  if (least === 0) return 0;
  const catalog = await unlessFailed(ctx, () => lookupRows(ctx, priceCatalog(endpoint)));
  const price = catalog === undefined ? undefined : workerHourlyPrice(endpoint, catalog)?.low;
  return price === undefined ? undefined : price * least;
}
