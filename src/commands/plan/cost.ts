import { unlessFailed } from '../../core/failure.ts';
import { numberAt, objectOf, stringAt, type Json, type JsonObject } from '../../core/json.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { merged } from '../../cli/resource/body/compose-body.ts';
import { lookupRows } from '../../cli/resource/identity/requests.ts';
import { catalogPrice } from '../pods/pod/price.ts';
import { withTemplateDisks } from '../shared/rate/template-disks.ts';
import { volumeHourly } from '../shared/rate/volume-price.ts';
import { priceCatalog, workerHourlyPrice } from '../shared/rate/worker-price.ts';
import type { KindName } from './document/kinds.ts';

/** What a thing costs an hour. */
export interface Amount {
  /** US dollars; undefined where the service or the specification has no price. */
  readonly perHour: number | undefined;
  /** What is known of it where the whole is not known. */
  readonly atLeast?: number;
  /** What is paid beside that, at a price that is not published: `the persistent mount (50 GB) of pod x, also while stopped`. */
  readonly unpriced?: string;
}

export interface Cost {
  readonly before: Amount;
  readonly after: Amount;
}

export const NO_COST: Amount = { perHour: 0 };

/** What is known of an amount, in US dollars an hour. */
export const knownOf = ({ perHour, atLeast = 0 }: Amount): number => perHour ?? atLeast;

/** What two things cost together; not known where that of one is not known. */
export function plus(one: Amount, other: Amount): Amount {
  const isKnown = one.perHour !== undefined && other.perHour !== undefined;
  const sum = knownOf(one) + knownOf(other);
  const unpriced = [one, other].flatMap((each) => each.unpriced ?? []);
  return {
    ...(isKnown ? { perHour: sum } : { perHour: undefined, atLeast: sum }),
    ...(unpriced.length === 0 ? {} : { unpriced: unpriced.join('; ') }),
  };
}

/**
 * What a thing costs before and after a change: a pod while it runs, a volume at the price of standard storage, and the workers
 * of an endpoint that always run, at the lowest price of their hardware (specification 8.4). Fails only when it is interrupted.
 */
export async function costOf(
  ctx: CommandContext,
  kind: KindName,
  row: Json | undefined,
  body: JsonObject,
): Promise<Cost> {
  if (kind === 'pod') return row === undefined ? await costOfNewPod(ctx, body) : costOfPod(row, body);
  const amount = async (thing: Json): Promise<Amount> => {
    if (kind === 'volume') return volumeAmount(thing);
    return kind === 'endpoint' ? { perHour: await workersPrice(ctx, thing) } : NO_COST;
  };
  if (row === undefined) return { before: NO_COST, after: await amount(body) };
  return { before: await amount(row), after: await amount(merged(objectOf(row) ?? {}, body)) };
}

async function costOfNewPod(ctx: CommandContext, body: JsonObject): Promise<Cost> {
  const perHour = await unlessFailed(ctx, async () => (await catalogPrice(ctx, body))?.perHour);
  return { before: NO_COST, after: { perHour, ...unpricedMount(await withTemplateDisks(ctx, body)) } };
}

/** A pod keeps its hardware; its price is its own, and 0 while it is stopped. */
function costOfPod(row: Json, body: JsonObject): Cost {
  const perHour = numberAt(row, 'cost');
  const after = merged(objectOf(row) ?? {}, body);
  const unpriced = [largerDisk(row, after), unpricedMount(after).unpriced].filter((text) => text !== undefined);
  return {
    before: { perHour, ...unpricedMount(row) },
    after: { perHour, ...(unpriced.length === 0 ? {} : { unpriced: unpriced.join('; ') }) },
  };
}

/** A container disk that grows costs more, at a price that is not published. */
function largerDisk(before: Json, after: Json): string | undefined {
  const [from, to] = [numberAt(before, 'disk') ?? 0, numberAt(after, 'disk') ?? 0];
  return to <= from ? undefined : `the larger container disk of pod ${nameOf(after)} (${from} GB to ${to} GB)`;
}

function unpricedMount(pod: Json): Pick<Amount, 'unpriced'> {
  const size = numberAt(pod, 'mounts.persistent.size');
  if (size === undefined) return {};
  return { unpriced: `the persistent mount of pod ${nameOf(pod)} (${size} GB), also while the pod is stopped` };
}

function volumeAmount(volume: Json): Amount {
  const perHour = volumeHourly(numberAt(volume, 'size') ?? 0);
  return stringAt(volume, 'type') === 'HIGH_PERFORMANCE'
    ? {
        perHour,
        unpriced: `the high-performance storage of volume ${nameOf(volume)}, beyond the price of standard storage`,
      }
    : { perHour };
}

const nameOf = (thing: Json): string => stringAt(thing, 'name') ?? '?';

async function workersPrice(ctx: CommandContext, endpoint: Json): Promise<number | undefined> {
  const least = numberAt(endpoint, 'workers.min') ?? 0;
  if (least === 0) return 0;
  const catalog = await unlessFailed(ctx, () => lookupRows(ctx, priceCatalog(endpoint)));
  const price = catalog === undefined ? undefined : workerHourlyPrice(endpoint, catalog)?.low;
  return price === undefined ? undefined : price * least;
}
