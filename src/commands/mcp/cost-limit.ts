/** What a call would add to the account's cost an hour, from the requests of its dry run. */
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { arrayOf, itemsAt, type Json, memberAt, objectOf, stringAt } from '../../core/json.ts';
import { asId } from '../../core/ids.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { IdCache } from '../../cli/model/context.ts';
import {
  catalogOf,
  type Cost,
  ofAccount,
  ofEndpoint,
  ofNewCluster,
  ofNewPod,
  ofVolume,
  ofWorker,
  perHour,
} from '../../cli/money.ts';
import { ENDPOINTS, PODS } from '../../cli/resource/collections.ts';
import { merged } from '../../cli/resource/request-body.ts';
import { rowRequest } from '../../cli/resource/requests.ts';

/** Limit-exceeded (15) where the account would cost more than this, or the cost is not known. */
export async function requireCost(context: CommandContext, requests: Json, maxHourly: number): Promise<void> {
  const ctx = { ...context, ids: new IdCache() };
  const before = await ofAccount(ctx);
  let total: number | undefined = before.hourly?.high ?? 0;
  for (const request of arrayOf(requests) ?? [requests]) {
    const added = (await addedBy(ctx, request))?.hourly?.high;
    total = total === undefined || added === undefined ? undefined : total + added;
  }
  if (total !== undefined && total <= maxHourly) return;
  const then = total === undefined ? 'by an unknown amount' : `to ${hourly(total)}`;
  throw new Failure({
    code: 'limit-exceeded',
    exit: EXIT.limitExceeded,
    message: `this would raise the account's cost ${then}, and --max-cost is ${hourly(maxHourly)}: nothing was sent`,
    hint: 'Stop something first, or ask a person for a higher limit.',
  });
}

const hourly = (amount: number): string => perHour({ hourly: { low: amount, high: amount }, besides: [] });

const NOTHING: Cost = { hourly: { low: 0, high: 0 }, besides: [] };

/** Undefined where it is not known. */
async function addedBy(ctx: CommandContext, request: Json): Promise<Cost | undefined> {
  const [, noun = '', id = '', ...more] = new URL(stringAt(request, 'url') ?? '').pathname.split('/').slice(1);
  const body = memberAt(request, 'body') ?? null;
  const row = async (of: typeof PODS | typeof ENDPOINTS): Promise<Json> =>
    (await ctx.api.send(rowRequest(of, asId(id)))).value ?? null;
  if (noun === 'pods') {
    const pod = id === '' ? body : await row(PODS);
    return ofNewPod(pod, await catalogOf(ctx, pod));
  }
  if (noun === 'serverless') {
    const endpoint = merged(id === '' ? {} : (objectOf(await row(ENDPOINTS)) ?? {}), objectOf(body) ?? {});
    const catalog = await catalogOf(ctx, endpoint);
    return ofEndpoint(endpoint, catalog);
  }
  if (noun === 'clusters') return ofNewCluster(body, await catalogOf(ctx, { gpu: {} }));
  if (/^network-?volumes$/i.test(noun)) return ofVolume(body);
  if (!['run', 'runsync', 'retry'].includes([id, ...more][0] ?? '')) return undefined;
  // A job may start one worker.
  const endpoint = (await ctx.api.send(rowRequest(ENDPOINTS, asId(noun)))).value ?? null;
  return itemsAt(endpoint, 'gpu.pools').length + itemsAt(endpoint, 'cpu').length === 0
    ? NOTHING
    : ofWorker(endpoint, await catalogOf(ctx, endpoint));
}
