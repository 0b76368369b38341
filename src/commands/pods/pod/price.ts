import { memberAt, numberAt, stringAt, type Json } from '../../../core/json.ts';
import { formatDollars } from '../../../core/units.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { AT_UNKNOWN_PRICE, type Price } from '../../../cli/resource/ask-before-write.ts';
import { CPUS, GPUS } from '../../shared/collections.ts';
import { catalogRow } from '../../shared/pick/pickers.ts';
import { isAskedAbout } from '../../shared/rate/ask-limits.ts';
import { hasSoMany } from '../../shared/rate/is-possible.ts';
import { podsRate, rateWithUnknown } from '../../shared/rate/hourly-cost.ts';
import { largeDisksLine } from '../../shared/rate/large-disk.ts';
import { keptDisks } from '../../shared/rate/stopped-disks.ts';
import { andDisksOf } from './unpriced-disks.ts';

/** What the hardware of a pod costs by the catalog. */
export interface CatalogPrice {
  /** US dollars; undefined where the catalog has the hardware, and no price for it. */
  readonly perHour: number | undefined;
  /** `2 x GPU-24G`, `4 vCPU of cpu-general`. */
  readonly hardware: string;
  readonly cloud: string;
}

/**
 * The price of a pod, or of the body of one; undefined where the catalog does not have the hardware, or not so many GPUs on one
 * machine. Fails as the catalog does.
 */
export async function catalogPrice(ctx: CommandContext, pod: Json): Promise<CatalogPrice | undefined> {
  const cloud = stringAt(pod, 'cloud') ?? 'SECURE';
  const gpu = stringAt(pod, 'gpu.id');
  const cpu = stringAt(pod, 'cpu.id');
  const [lookup, id, count, member] =
    gpu === undefined
      ? ([CPUS, cpu ?? '', numberAt(pod, 'cpu.vcpuCount'), 'price.securePerVcpu'] as const)
      : ([GPUS, gpu, numberAt(pod, 'gpu.count') ?? 1, `price.${cloud.toLowerCase()}`] as const);
  const row = await catalogRow(ctx, lookup, id);
  const price = numberAt(row, member);
  if (row === undefined || count === undefined || !hasSoMany(row, cloud, count)) return undefined;
  const perHour = price === undefined || price === 0 ? undefined : price * count;
  return { perHour, hardware: gpu === undefined ? `${count} vCPU of ${id}` : `${count} x ${id}`, cloud };
}

/** What stopped pods will cost, by the catalog; undefined where it has no price. Fails as the catalog does. */
export const costOnceStarted = async (ctx: CommandContext, pods: readonly Json[]): Promise<string | undefined> =>
  costUntilStopped(await pricedPods(ctx, pods));

/** The same as a price that a person is asked about as about that of a create. Fails as the catalog does. */
export async function priceOfStart(ctx: CommandContext, pods: readonly Json[]): Promise<Price> {
  const priced = await pricedPods(ctx, pods);
  const { total, unknown } = podsRate(priced);
  const perHour = unknown.length === 0 ? total : undefined;
  const noPrice = ['The catalog has no price for this hardware. It is paid until it is stopped.', ...diskLines(pods)];
  return {
    line: costUntilStopped(priced) ?? noPrice.join(' '),
    asks: isAskedAbout(perHour),
    inQuestion: perHour === undefined ? AT_UNKNOWN_PRICE : `for ${formatDollars(perHour)} an hour${andDisksOf(pods)}`,
  };
}

/** Stopped pods with their disks, and their cost by the catalog. Without their status: they will run. */
async function pricedPods(ctx: CommandContext, pods: readonly Json[]): Promise<readonly Json[]> {
  const priced: Json[] = [];
  for (const pod of pods)
    priced.push({
      mounts: memberAt(pod, 'mounts') ?? null,
      disk: memberAt(pod, 'disk') ?? null,
      cost: (await catalogPrice(ctx, pod))?.perHour ?? null,
    });
  return priced;
}

/** `It costs $0.34 an hour until it is stopped.`, and what of its disks is paid besides. Undefined where no cost is known. */
export function costUntilStopped(pods: readonly Json[]): string | undefined {
  if (pods.every((pod) => numberAt(pod, 'cost') === undefined)) return undefined;
  const [cost, stopped] = pods.length === 1 ? ['It costs', 'it is stopped'] : ['They cost', 'they are stopped'];
  return [`${cost} ${rateWithUnknown(podsRate(pods))} until ${stopped}.`, ...diskLines(pods)].join(' ');
}

/** What of the disks of pods is paid besides their cost. */
const diskLines = (pods: readonly Json[]): readonly string[] =>
  [largeDisksLine(pods), keptDisks(pods)].filter((line) => line !== undefined);
