import { unlessFailed } from '../../core/failure.ts';
import { numberAt, objectOf, stringAt, type Json, type JsonObject } from '../../core/json.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { merged } from '../../cli/resource/body/compose-body.ts';
import { lookupRows } from '../../cli/resource/identity/requests.ts';
import { idOf } from '../../output/view.ts';
import { catalogPrice } from '../pods/pod/price.ts';
import { keptLine, keptWorkers, minimumPrice } from '../shared/rate/kept-workers.ts';
import { lookupWorkers } from '../shared/rate/read-rate.ts';
import { largeDisk } from '../shared/rate/large-disk.ts';
import { withTemplateDisks } from '../shared/rate/template-disks.ts';
import { volumeHourly } from '../shared/rate/volume-price.ts';
import { priceCatalog } from '../shared/rate/worker-price.ts';
import type { KindName } from './kinds.ts';

/** What a thing costs an hour. */
export interface Amount {
  /** US dollars; undefined where the service or the specification has no price. */
  readonly perHour: number | undefined;
  /** What is known of it where the whole is not known. */
  readonly atLeast?: number;
  /** What is paid beside that, at a price that is not published: `the persistent mount (50 GB) of pod x, also while stopped`. */
  readonly unpriced?: string;
  /** What is paid at another price than the thing asks for: `endpoint e: 1 worker that runs now keeps its hardware ...`. */
  readonly kept?: string;
}

export interface Cost {
  readonly before: Amount;
  readonly after: Amount;
}

export const NO_COST: Amount = { perHour: 0 };

/** What is known of an amount, in US dollars an hour. */
export const knownOf = ({ perHour, atLeast = 0 }: Amount): number => perHour ?? atLeast;

/** What becomes of the workers of an endpoint that run: a release replaces them, and those of a new endpoint have what it asks for. */
export type WorkersThen = 'stay' | 'replaced' | 'new';

/**
 * What a thing costs before and after a change: a pod while it runs, a volume at the price of standard storage, and the workers
 * of an endpoint that always run, at the lowest price of their hardware (specification 8.4); those that stay keep
 * other hardware that they run on. Fails only when it is interrupted.
 */
export async function costOf(
  ctx: CommandContext,
  kind: KindName,
  row: Json | undefined,
  body: JsonObject,
  workersThen: WorkersThen = 'stay',
): Promise<Cost> {
  if (kind === 'pod') return row === undefined ? await costOfNewPod(ctx, body) : costOfPod(row, body);
  const amount = async (thing: Json, workers: readonly Json[] | undefined): Promise<Amount> => {
    if (kind === 'volume') return volumeAmount(thing);
    return kind === 'endpoint' ? await workersAmount(ctx, thing, workers) : NO_COST;
  };
  if (row === undefined) return { before: NO_COST, after: await amount(body, []) };
  const after = merged(objectOf(row) ?? {}, body);
  const alwaysRun = kind === 'endpoint' && [row, after].some((each) => (numberAt(each, 'workers.min') ?? 0) > 0);
  const running = alwaysRun && workersThen !== 'new' ? await lookupWorkers(ctx, idOf(row)) : [];
  return { before: await amount(row, running), after: await amount(after, workersThen === 'stay' ? running : []) };
}

async function costOfNewPod(ctx: CommandContext, body: JsonObject): Promise<Cost> {
  const perHour = await unlessFailed(ctx, async () => (await catalogPrice(ctx, body))?.perHour);
  const whole = await withTemplateDisks(ctx, body);
  const disk = largeDisk(whole);
  const unpriced = [
    ...(disk === undefined ? [] : [`the container disk of pod ${nameOf(body)} (${disk} GB)`]),
    ...[unpricedMount(whole).unpriced].filter((text) => text !== undefined),
  ];
  return { before: NO_COST, after: { perHour, ...(unpriced.length === 0 ? {} : { unpriced: unpriced.join('; ') }) } };
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

/** What the workers that always run cost; `running` are those that run now, undefined where they cannot be read. */
async function workersAmount(
  ctx: CommandContext,
  endpoint: Json,
  running: readonly Json[] | undefined,
): Promise<Amount> {
  if ((numberAt(endpoint, 'workers.min') ?? 0) === 0) return NO_COST;
  const catalog = await unlessFailed(ctx, () => lookupRows(ctx, priceCatalog(endpoint)));
  if (catalog === undefined || running === undefined) return { perHour: undefined };
  const kept = keptWorkers(endpoint, running, catalog);
  const line = keptLine(endpoint, kept, catalog);
  return {
    perHour: minimumPrice(endpoint, kept, catalog)?.low,
    ...(line === undefined ? {} : { kept: `Endpoint ${nameOf(endpoint)}: ${line}` }),
  };
}
