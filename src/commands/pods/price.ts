/** The disks of a pod that runs: they are paid besides its hardware, at prices that are not published. */

import type { CommandContext } from '../../cli/model/context.ts';
import { hasSoMany, isAskedAbout, largeDisk, largeDisksLine } from '../../cli/money/disks.ts';
import { keptDisks, podsRate, rateWithUnknown } from '../../cli/money/hourly-cost.ts';
import { AT_UNKNOWN_PRICE, type Price } from '../../cli/resource/ask-before-write.ts';
import { CPUS, GPUS } from '../../cli/resource/collections.ts';
import { catalogRow } from '../../cli/resource/pickers.ts';
import { type Json, memberAt, numberAt, stringAt } from '../../core/json.ts';
import { formatDollars } from '../../core/units.ts';

const hasMount = (pod: Json): boolean => (memberAt(pod, 'mounts.persistent') ?? null) !== null;

export const unpricedDisks = (pod: Json): string =>
  hasMount(pod)
    ? 'plus its container disk and its persistent mount at prices that are not published'
    : 'plus its container disk at a price that is not published';

export const andDisks = (pod: Json): string =>
  [
    largeDisk(pod) === undefined ? '' : ' and its container disk',
    hasMount(pod) ? ' and its persistent mount' : '',
  ].join('');

function andDisksOf(pods: readonly Json[]): string {
  const [first = '', ...others] = pods.map(andDisks);
  if (others.length === 0) return first;
  return [first, ...others].some((disks) => disks !== '') ? ' and their disks' : '';
}

interface CatalogPrice {
  /** US dollars; undefined if the catalog has the hardware without a price. */
  readonly perHour: number | undefined;
  readonly hardware: string;
  readonly cloud: string;
}

/** Undefined if the catalog lacks the hardware or that many GPUs on one machine. Fails as the catalog does. */
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

/** Undefined without a price. Fails as the catalog does. */
export const costOnceStarted = async (ctx: CommandContext, pods: readonly Json[]): Promise<string | undefined> =>
  costUntilStopped(await pricedPods(ctx, pods));

/** Confirmed by the user, like the price of a create. Fails as the catalog does. */
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

/** Without their status, so that they count as running. */
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

/** Includes disks charged separately. Undefined if no cost is known. */
export function costUntilStopped(pods: readonly Json[]): string | undefined {
  if (pods.every((pod) => numberAt(pod, 'cost') === undefined)) return undefined;
  const [cost, stopped] = pods.length === 1 ? ['It costs', 'it is stopped'] : ['They cost', 'they are stopped'];
  return [`${cost} ${rateWithUnknown(podsRate(pods))} until ${stopped}.`, ...diskLines(pods)].join(' ');
}

const diskLines = (pods: readonly Json[]): readonly string[] =>
  [largeDisksLine(pods), keptDisks(pods)].filter((line) => line !== undefined);
