import { type Json, memberAt, numberAt, objectOf } from '../../core/json.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { idOf } from '../../output/view.ts';
import { PODS } from '../shared/collections.ts';
import { podsRate, rateText, rateWithUnknown } from '../shared/rate/hourly-cost.ts';
import { rowsUnlessFailed } from '../shared/rate/read-rate.ts';

/**
 * Clusters with what they cost an hour, which is the sum of their pods: as `cost`, where the list of pods has all of them with
 * their costs. Rethrows an interrupt.
 */
export async function withCosts(ctx: CommandContext, clusters: readonly Json[]): Promise<readonly Json[]> {
  const pods = (await rowsUnlessFailed(ctx, PODS)) ?? [];
  return clusters.map((cluster) => {
    const own = pods.filter((pod) => memberAt(pod, 'cluster.id') === idOf(cluster));
    const { total, unknown } = podsRate(own);
    const isWhole = own.length === numberAt(cluster, 'pods.total') && unknown.length === 0;
    return isWhole ? { ...objectOf(cluster), cost: total } : cluster;
  });
}

/** `$38.24 an hour`; undefined where that is not known. Rethrows an interrupt. */
export async function costOf(ctx: CommandContext, cluster: Json): Promise<string | undefined> {
  const rate = podsRate(await withCosts(ctx, [cluster]));
  return rate.unknown.length === 0 ? rateText(rate) : undefined;
}

/** `It saves $38.24 an hour.` */
export async function savingOf(ctx: CommandContext, clusters: readonly Json[]): Promise<string> {
  return `It saves ${rateWithUnknown(podsRate(await withCosts(ctx, clusters)))}.`;
}
