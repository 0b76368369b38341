import type { Collection } from '../model/collection.ts';
import type { CommandContext } from '../model/context.ts';
import { type RateFacts } from './hourly-cost.ts';
import { CPUS, ENDPOINTS, GPUS } from '../resource/collections.ts';
import { listRows } from '../resource/requests.ts';
import { unlessFailed } from '../../core/failure.ts';
import { isUsableId } from '../../core/ids.ts';
import { type Json, memberAt } from '../../core/json.ts';
import { idOf } from '../../output/view.ts';

/** One request per endpoint; the others are reported as unread. */
const MAX_ENDPOINTS = 50;

/** Undefined if it cannot be read. Rethrows an interrupt. */
export const rowsUnlessFailed = (ctx: CommandContext, list: Collection): Promise<readonly Json[] | undefined> =>
  unlessFailed(ctx, async () => (await listRows(ctx, list, list.lookupQuery)).values);

const workersOf = (endpointId: string): Collection => ({
  noun: 'worker',
  path: [...ENDPOINTS.path, endpointId, 'workers'],
  member: 'workers',
});

/** With the price catalogs. Leaves out what cannot be read; no requests without endpoints. */
export async function readWorkers(
  ctx: CommandContext,
  endpoints: readonly Json[],
): Promise<Pick<RateFacts, 'workers' | 'gpus' | 'cpus'>> {
  const ids = endpoints.map(idOf).filter(isUsableId).slice(0, MAX_ENDPOINTS);
  const has = (member: string): boolean => endpoints.some((endpoint) => (memberAt(endpoint, member) ?? null) !== null);
  const [found, gpus, cpus] = await Promise.all([
    Promise.all(ids.map(async (id) => [id, await rowsUnlessFailed(ctx, workersOf(id))] as const)),
    has('gpu') ? rowsUnlessFailed(ctx, GPUS) : [],
    has('cpu') ? rowsUnlessFailed(ctx, CPUS) : [],
  ]);
  const workers = new Map(found.flatMap(([id, rows]) => (rows === undefined ? [] : [[id, rows] as const])));
  return { workers, gpus: gpus ?? [], cpus: cpus ?? [] };
}
