/** What things cost: a `Cost` each, in the words of `perHour` and `perMonth`. */

import type { Collection } from './model/collection.ts';
import type { CommandContext } from './model/context.ts';
import { CPUS, GPUS } from './resource/collections.ts';
import { lookupRows } from './resource/pages.ts';
import { unlessFailed } from '../core/failure.ts';
import { isObject, itemsAt, type Json, memberAt, numberAt, objectOf, stringAt } from '../core/json.ts';
import { linesOf, type Message } from '../core/message.ts';
import { type DollarRange, formatDollarRange } from '../core/units.ts';
import { asksForData, idOf } from '../output/view.ts';

/** US dollars an hour; `hourly` is undefined where no price is published. `besides` is what is billed without a price. */
export interface Cost {
  readonly hourly: DollarRange | undefined;
  readonly besides: readonly string[];
}

const HOURS_PER_MONTH = 730;
const DEFAULT_DISK_GB = 20;
const TERABYTE_GB = 1024;
/** US dollars per GB and month of standard storage, up to 1 TB and above it (specification 8.4). */
const STORAGE = { firstTerabyte: 0.07, beyond: 0.05 };

export const costOf = (hourly: number | undefined, besides: readonly string[] = []): Cost => ({
  hourly: hourly === undefined ? undefined : { low: hourly, high: hourly },
  besides,
});

/** A price of 0 means that there is none. As the service rounds: to a hundredth of a cent. */
export const times = (price: number | undefined, count: number | undefined): number | undefined =>
  price === undefined || price <= 0 || count === undefined ? undefined : Math.round(price * count * 10_000) / 10_000;

const rangeOf = (prices: readonly (number | undefined)[]): Cost => {
  const known = prices.filter((price) => price !== undefined);
  if (known.length === 0 || known.length < prices.length) return costOf(undefined);
  return { hourly: { low: Math.min(...known), high: Math.max(...known) }, besides: [] };
};

/** Several costs as one; what has no price is counted. */
export function sum(costs: readonly Cost[]): Cost {
  const known = costs.flatMap(({ hourly }) => hourly ?? []);
  const total = (bound: 'low' | 'high'): number => known.reduce((all, each) => all + each[bound], 0);
  const unknown = costs.length - known.length;
  return {
    hourly: known.length === 0 && unknown > 0 ? undefined : { low: total('low'), high: total('high') },
    besides: [
      ...new Set(costs.flatMap(({ besides }) => besides)),
      ...(unknown === 0 ? [] : [`${unknown} without a price`]),
    ],
  };
}

/** `count` things of one cost. */
const scaled = ({ hourly, besides }: Cost, count: number): Cost => ({
  hourly: hourly && { low: hourly.low * count, high: hourly.high * count },
  besides,
});

/** The catalog of what a pod or an endpoint runs on, read at most once in a run. Fails as the catalog does. */
export const catalogOf = (ctx: CommandContext, thing: Json): Promise<readonly Json[]> =>
  lookupRows(ctx, catalogFor(thing));

export const catalogFor = (thing: Json): Collection => (isObject(memberAt(thing, 'gpu')) ? GPUS : CPUS);

/** A pod says itself what it costs. */
export const ofPod = (pod: Json): Cost => costOf(numberAt(pod, 'cost'));

/** A pod that does not exist yet, or is stopped. */
export function ofNewPod(body: Json, catalog: readonly Json[]): Cost {
  const gpu = stringAt(body, 'gpu.id');
  const row = catalog.find((each) => idOf(each) === (gpu ?? stringAt(body, 'cpu.id')));
  const hourly =
    gpu === undefined
      ? times(numberAt(row, 'price.securePerVcpu'), numberAt(body, 'cpu.vcpuCount'))
      : times(numberAt(row, pricePath(body)), numberAt(body, 'gpu.count') ?? 1);
  return costOf(hourly, disksOf(body));
}

/** All pods of a cluster that does not exist yet. */
export const ofNewCluster = (body: Json, catalog: readonly Json[]): Cost => {
  const gpu = { id: stringAt(body, 'compute.gpuTypeId') ?? '', count: numberAt(body, 'compute.gpuCountPerPod') ?? 1 };
  return scaled(ofNewPod({ ...objectOf(body), gpu }, catalog), numberAt(body, 'compute.podCount') ?? 1);
};

/** Where the catalog has the price of a GPU on the cloud of a pod. */
export const pricePath = (pod: Json): string => `price.${cloudOf(pod).toLowerCase()}`;

const cloudOf = (pod: Json): string => stringAt(pod, 'cloud') ?? 'SECURE';

/** Disks have no published price: they are named where they are larger than usual. */
function disksOf(pod: Json): readonly string[] {
  const disk = numberAt(pod, 'disk') ?? 0;
  const mount = numberAt(pod, 'mounts.persistent.size');
  return [
    ...(disk > DEFAULT_DISK_GB ? [`a container disk of ${disk} GB`] : []),
    ...(mount === undefined ? [] : [`a persistent mount of ${mount} GB, also while stopped`]),
  ];
}

/** One worker of an endpoint: a range where it may run on several types. */
export function ofWorker(endpoint: Json, catalog: readonly Json[], worker: Json = null): Cost {
  const count = numberAt(worker, 'gpuCount') ?? numberAt(endpoint, 'gpu.count') ?? 1;
  const type = stringAt(worker, 'gpuTypeId');
  const priceOf = (row: Json | undefined): number | undefined => times(numberAt(row, 'price.serverless'), count);
  if (type !== undefined) return costOf(priceOf(catalog.find((row) => idOf(row) === type)));
  if (!isObject(memberAt(endpoint, 'gpu')))
    return rangeOf(
      itemsAt(endpoint, 'cpu').map((cpu) => {
        const flavor = catalog.find((row) => idOf(row) === stringAt(cpu, 'id'));
        return times(numberAt(flavor, 'price.serverlessPerVcpu'), numberAt(cpu, 'vcpuCount'));
      }),
    );
  const [pools, excluded] = [itemsAt(endpoint, 'gpu.pools'), itemsAt(endpoint, 'gpu.excludedTypes')];
  const within = pools.map((pool) => catalog.filter((row) => memberAt(row, 'pool') === pool));
  if (within.some((types) => types.length === 0)) return costOf(undefined);
  return rangeOf(
    within
      .flat()
      .filter((row) => !excluded.includes(idOf(row)))
      .map(priceOf),
  );
}

/** The workers that an endpoint always runs, also without jobs. */
export const ofEndpoint = (endpoint: Json, catalog: readonly Json[]): Cost => {
  const least = numberAt(endpoint, 'workers.min') ?? 0;
  return least === 0 ? costOf(0) : scaled(ofWorker(endpoint, catalog), least);
};

/** A volume, by the published price of standard storage. */
export function ofVolume(volume: Json): Cost {
  const size = numberAt(volume, 'size') ?? 0;
  const monthly =
    Math.min(size, TERABYTE_GB) * STORAGE.firstTerabyte + Math.max(0, size - TERABYTE_GB) * STORAGE.beyond;
  const isFast = memberAt(volume, 'type') === 'HIGH_PERFORMANCE';
  return costOf(monthly / HOURS_PER_MONTH, isFast ? ['a surcharge for high-performance storage'] : []);
}

const worded = ({ hourly, besides }: Cost, per: string): string =>
  [hourly === undefined ? 'unknown price' : `${formatDollarRange(hourly)}/${per}`, ...besides].join(' plus ');

/** `$0.34/h plus a container disk of 200 GB`, `unknown price`. */
export const perHour = (cost: Cost): string => worded(cost, 'h');

/** `$0.34/h`: of an amount that is known. */
export const dollarsPerHour = (hourly: number): string => perHour(costOf(hourly));

/** `$7.00/month`: for what is paid by the month, such as storage. */
export const perMonth = (cost: Cost): string => worded(scaled(cost, HOURS_PER_MONTH), 'month');

/** `GPU-24G x1, SECURE`: the hardware of a pod, before its price. */
export function hardwareOf(pod: Json): string {
  const gpu = stringAt(pod, 'gpu.id');
  return gpu === undefined
    ? `${stringAt(pod, 'cpu.id') ?? '?'}, ${numberAt(pod, 'cpu.vcpuCount') ?? '?'} vCPU`
    : `${gpu} x${numberAt(pod, 'gpu.count') ?? 1}, ${cloudOf(pod)}`;
}

/** Says a price on stderr before what costs money. A script that reads data has it in the document, and no request is sent. */
export async function tellPrice(
  ctx: CommandContext,
  line: () => Promise<Message | undefined> | Message,
): Promise<void> {
  if (ctx.settings.get('quiet') || asksForData(ctx.output) || ctx.dryRun) return;
  const text = await unlessFailed(ctx, async () => await line());
  for (const each of linesOf(text)) await ctx.tell(each);
}
