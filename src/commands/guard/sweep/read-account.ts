/** What a sweep reads beside the pods, where a rule asks for it. What cannot be read is unknown, and said once. */
import { unlessFailed } from '../../../core/failure.ts';
import { type Json, memberAt, numberAt, stringAt } from '../../../core/json.ts';
import { formatDollars } from '../../../core/units.ts';
import type { EpochMs } from '../../../core/unit-types.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { idOf } from '../../../output/view.ts';
import type { AccountAmount, AccountFacts } from '../../../guard/decide/conditions.ts';
import type { HealthById } from '../../../guard/samples/job-samples.ts';
import type { Condition, Policy, Subject } from '../../../guard/policy/rules.ts';
import { readRecords } from '../../billing/report/fetch.ts';
import { monthStart } from '../../billing/report/forecast.ts';
import { PODS as POD_BILL, SUMMARY } from '../../billing/report/service-reports.ts';
import { ENDPOINTS, PODS, VOLUMES } from '../../shared/collections.ts';
import { usedVolumeIds } from '../../shared/rate/used-volume-ids.ts';
import { readHealth } from '../../shared/rate/read-health.ts';
import { readRate, rowsUnlessFailed } from '../../shared/rate/read-rate.ts';
import { rateText, volumesRate } from '../../shared/rate/hourly-cost.ts';
import { diskCost, readDiskCosts, sumsById } from '../../billing/report/disk-costs.ts';
import { diskSize, withStoppedDisk } from '../../shared/rate/stopped-disks.ts';
import { HOURS_PER_MONTH } from '../../shared/rate/volume-price.ts';

/** What rules of a policy ask for beside the list of pods. */
export interface Account {
  readonly facts: AccountFacts;
  /** Endpoints and volumes that rules are about. */
  readonly subjects: readonly Subject[];
  /** The health of the endpoints; undefined where no rule asks for it, or the endpoints could not be read. */
  readonly health: HealthById | undefined;
}

/** Reads what rules of these kinds ask for. `pods` is the whole list without the members of clusters. */
export async function readAccount(
  ctx: CommandContext,
  { rules }: Policy,
  pods: readonly Json[],
  now: EpochMs,
): Promise<Account> {
  const asks = (test: (when: Condition) => boolean): boolean => rules.some(({ when }) => test(when));
  const [perHour, month, billed, endpoints, storage] = await Promise.all([
    asks(({ kind }) => kind === 'account-per-hour') ? unlessFailed(ctx, () => perHourOf(ctx)) : undefined,
    asks(({ kind }) => kind === 'account-month') ? unlessFailed(ctx, () => monthOf(ctx, now)) : undefined,
    asks((when) => when.kind === 'spent' && when.since === 'creation')
      ? unlessFailed(ctx, () => billedOf(ctx, pods, now))
      : undefined,
    asks(({ kind }) => kind === 'no-jobs') ? readEndpoints(ctx) : undefined,
    asks(({ kind }) => kind === 'unused-storage') ? readUnused(ctx, pods, now) : undefined,
  ]);
  return {
    facts: { perHour, month, billed, unused: storage?.unused },
    subjects: [
      ...(endpoints?.rows ?? []).map((row): Subject => ({ kind: 'endpoint', row })),
      ...(storage?.volumes ?? []).map((row): Subject => ({ kind: 'volume', row })),
    ],
    health: endpoints?.health,
  };
}

async function perHourOf(ctx: CommandContext): Promise<AccountAmount> {
  const { total, unknown } = await readRate(ctx);
  return { dollars: total, atLeast: unknown.length > 0 };
}

async function monthOf(ctx: CommandContext, now: EpochMs): Promise<AccountAmount> {
  const records = await readRecords(ctx, SUMMARY, monthStart(now), now);
  const amounts = records.map((record) => numberAt(record, 'totalAmount'));
  return {
    dollars: amounts.reduce<number>((sum, amount) => sum + (amount ?? 0), 0),
    atLeast: amounts.includes(undefined),
  };
}

/** What each pod cost since the first of them was created. */
async function billedOf(
  ctx: CommandContext,
  pods: readonly Json[],
  now: EpochMs,
): Promise<ReadonlyMap<string, number>> {
  const created = pods.map((pod) => Date.parse(stringAt(pod, 'createdAt') ?? '')).filter((at) => !Number.isNaN(at));
  const records = created.length === 0 ? [] : await readRecords(ctx, POD_BILL, Math.min(...created), now);
  return sumsById(records, 'totalAmount');
}

/** The endpoints, and the health of those that keep workers. */
async function readEndpoints(
  ctx: CommandContext,
): Promise<{ readonly rows: readonly Json[]; readonly health: HealthById } | undefined> {
  const rows = await rowsUnlessFailed(ctx, ENDPOINTS);
  if (rows === undefined) {
    await ctx.tell('The endpoints could not be read: nothing is decided about them.');
    return undefined;
  }
  const kept = rows.filter((row) => memberAt(row, 'type') === 'QUEUE' && numberAt(row, 'workers.min') !== 0);
  return { rows, health: await readHealth(ctx, kept) };
}

/** What is stored and not used: why, and what it costs, by its id. A list that is missing may hold what uses a volume. */
async function readUnused(
  ctx: CommandContext,
  pods: readonly Json[],
  now: EpochMs,
): Promise<{ readonly volumes: readonly Json[]; readonly unused: ReadonlyMap<string, string> }> {
  const stopped = withStoppedDisk(pods);
  const [volumes, users, endpoints, disks] = await Promise.all([
    rowsUnlessFailed(ctx, VOLUMES),
    rowsUnlessFailed(ctx, PODS),
    rowsUnlessFailed(ctx, ENDPOINTS),
    stopped.length === 0 ? undefined : readDiskCosts(ctx, now),
  ]);
  const mounted = users === undefined || endpoints === undefined ? undefined : usedVolumeIds(users, endpoints);
  if (volumes === undefined || mounted === undefined)
    await ctx.tell('Which volumes are mounted could not be read: nothing is said about them.');
  const free = mounted === undefined ? [] : (volumes ?? []).filter((volume) => !mounted.has(idOf(volume)));
  return {
    volumes: free,
    unused: new Map([
      ...stopped.map((pod) => {
        const cost = diskCost(disks?.get(idOf(pod)));
        return [idOf(pod), `stopped, with a disk of ${diskSize([pod])}: ${cost}`] as const;
      }),
      ...free.map((volume) => [idOf(volume), `mounted nowhere: ${volumeCost(volume)}`] as const),
    ]),
  };
}

function volumeCost(volume: Json): string {
  const rate = volumesRate([volume]);
  return `${rateText(rate)}, ${formatDollars(rate.total * HOURS_PER_MONTH)} a month`;
}
