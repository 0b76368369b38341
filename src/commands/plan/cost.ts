import { unlessFailed } from '../../core/failure.ts';
import { type Json, type JsonObject, numberAt, objectOf, stringAt } from '../../core/json.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { merged } from '../../cli/resource/request-body.ts';
import { lookupRows } from '../../cli/resource/requests.ts';
import { idOf } from '../../output/view.ts';
import { catalogOf, ofNewPod } from '../../cli/money.ts';
import { keptLine, keptWorkers, minimumPrice, priceCatalog, volumeHourly } from '../../cli/money/hourly-cost.ts';
import { lookupWorkers } from '../../cli/money/account-line.ts';
import { largeDisk, withTemplateDisks } from '../../cli/money/disks.ts';
import type { KindName } from './kinds.ts';

export interface Amount {
  /** US dollars; undefined without a published price. */
  readonly perHour: number | undefined;
  /** The known part, if the total is unknown. */
  readonly atLeast?: number;
  /** Also paid, at an unpublished price: `the persistent mount (50 GB) of pod x, also while stopped`. */
  readonly unpriced?: string;
  /** Paid at another price than asked for: `endpoint e: 1 worker that runs now keeps its hardware ...`. */
  readonly kept?: string;
}

export interface Cost {
  readonly before: Amount;
  readonly after: Amount;
}

export const NO_COST: Amount = { perHour: 0 };

export const knownOf = ({ perHour, atLeast = 0 }: Amount): number => perHour ?? atLeast;

/** A release replaces workers; those of a new endpoint have what it asks for. */
export type WorkersThen = 'stay' | 'replaced' | 'new';

/** Running pods, standard storage, always-running workers at their lowest price (specification 8.4). */
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
  const perHour = await unlessFailed(ctx, async () => ofNewPod(body, await catalogOf(ctx, body)).hourly?.high);
  const whole = await withTemplateDisks(ctx, body);
  const disk = largeDisk(whole);
  const unpriced = [
    ...(disk === undefined ? [] : [`the container disk of pod ${nameOf(body)} (${disk} GB)`]),
    ...[unpricedMount(whole).unpriced].filter((text) => text !== undefined),
  ];
  return { before: NO_COST, after: { perHour, ...(unpriced.length === 0 ? {} : { unpriced: unpriced.join('; ') }) } };
}

/** A pod keeps its hardware and price; 0 while it is stopped. */
function costOfPod(row: Json, body: JsonObject): Cost {
  const perHour = numberAt(row, 'cost');
  const after = merged(objectOf(row) ?? {}, body);
  const unpriced = [largerDisk(row, after), unpricedMount(after).unpriced].filter((text) => text !== undefined);
  return {
    before: { perHour, ...unpricedMount(row) },
    after: { perHour, ...(unpriced.length === 0 ? {} : { unpriced: unpriced.join('; ') }) },
  };
}

/** A larger container disk costs more, at an unpublished price. */
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

/** `running` is undefined where it cannot be read. */
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
