/** What the persistent mounts of pods cost by the bill: their price is not published. */
import { HOUR_MS } from '../../../core/durations.ts';
import { unlessFailed } from '../../../core/failure.ts';
import { type Json, numberAt, stringAt } from '../../../core/json.ts';
import { formatDollars } from '../../../core/units.ts';
import type { EpochMs } from '../../../core/unit-types.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { countOf } from '../../../cli/words/words.ts';
import { idOf } from '../../../output/view.ts';
import { diskSize, withStoppedDisk } from '../../shared/rate/stopped-disks.ts';
import { HOURS_PER_MONTH } from '../../shared/rate/volume-price.ts';
import { readRecords } from './fetch.ts';
import { PODS } from './service-reports.ts';

/**
 * What the disks of pods cost in the last whole hour before `now`, in US dollars, by the ids of the pods; undefined where the
 * bill cannot be read.
 */
export const readDiskCosts = (ctx: CommandContext, now: EpochMs): Promise<ReadonlyMap<string, number> | undefined> => {
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS;
  return unlessFailed(ctx, async () =>
    sumsById(await readRecords(ctx, PODS, hour - HOUR_MS, hour, 'hour'), 'diskAmount'),
  );
};

/** `$0.0137 an hour, $10.00 a month`, by the cost of an hour. */
export const diskCost = (perHour: number | undefined): string =>
  perHour === undefined
    ? 'its cost is not known'
    : `${formatDollars(perHour)} an hour, ${formatDollars(perHour * HOURS_PER_MONTH)} a month`;

/** The sums of a member of billing records, by the ids of their pods. */
export function sumsById(records: readonly Json[], member: string): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const record of records) {
    const id = stringAt(record, 'podId') ?? '';
    sums.set(id, (sums.get(id) ?? 0) + (numberAt(record, member) ?? 0));
  }
  return sums;
}

/** What the persistent mounts of stopped pods cost that are terminated: `The disk of a stopped pod ... is no longer paid`. */
export async function savedDisks(ctx: CommandContext, pods: readonly Json[]): Promise<string | undefined> {
  const stopped = withStoppedDisk(pods);
  if (stopped.length === 0) return undefined;
  const costs = await readDiskCosts(ctx, ctx.serviceNow());
  const known = stopped.flatMap((pod) => costs?.get(idOf(pod)) ?? []);
  const saved =
    known.length === 0 ? 'an amount that is not known' : diskCost(known.reduce((sum, perHour) => sum + perHour, 0));
  return `For the ${diskSize(stopped)} on disk of ${countOf(stopped.length, 'stopped pod')} it saves ${saved}${known.length === 0 ? '' : ' by the last bill'}.`;
}
