import { unlessFailed } from '../../../core/failure.ts';
import { isUsableId } from '../../../core/ids.ts';
import { type Json, memberAt, objectOf, stringAt } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import type { Collection } from '../../../cli/model/collection.ts';
import { listRows, lookupRows } from '../../../cli/resource/identity/requests.ts';
import { idOf } from '../../../output/view.ts';
import { CPUS, ENDPOINTS, GPUS, PODS, VOLUMES } from '../collections.ts';
import { rateOf, type Rate, type RateFacts } from './hourly-cost.ts';

/** The most endpoints whose workers are asked for: each takes a request. The others are said to be unread. */
const MAX_ENDPOINTS = 50;

/** The rows of a list with all its members; undefined where it cannot be read. Rethrows an interrupt. */
export const rowsUnlessFailed = (ctx: CommandContext, list: Collection): Promise<readonly Json[] | undefined> =>
  unlessFailed(ctx, async () => (await listRows(ctx, list, list.lookupQuery)).values);

const workersOf = (endpointId: string): Collection => ({
  noun: 'worker',
  path: [...ENDPOINTS.path, endpointId, 'workers'],
  member: 'workers',
});

/** Reads the workers of an endpoint, at most once in a run; undefined where they cannot be read. Rethrows an interrupt. */
export const lookupWorkers = async (ctx: CommandContext, endpointId: string): Promise<readonly Json[] | undefined> =>
  isUsableId(endpointId) ? await unlessFailed(ctx, () => lookupRows(ctx, workersOf(endpointId))) : undefined;

/**
 * Reads the workers of endpoints, and the catalogs with their prices. What cannot be read is left out; nothing is asked
 * where there is no endpoint.
 */
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

/** The rate of the workers of these endpoints alone. */
export const readWorkersRate = async (ctx: CommandContext, endpoints: readonly Json[]): Promise<Rate> =>
  rateOf({ pods: [], volumes: [], endpoints, ...(await readWorkers(ctx, endpoints)) }, ['workers']);

/** The ids of what a command has just ended. A list may still have it as it was (contract rules, 1). */
export interface Ended {
  /** A stopped pod keeps its persistent mount, which is paid on. */
  readonly stopped?: readonly string[];
  /** A deleted cluster takes its pods with it. */
  readonly deleted?: readonly string[];
}

/** Reads everything that the rate is computed from, as it is after `ended`. A part that cannot be read is named in the rate. */
export async function readRate(ctx: CommandContext, { stopped = [], deleted = [] }: Ended = {}): Promise<Rate> {
  const isIn = (ids: readonly string[], row: Json): boolean =>
    ids.includes(idOf(row)) || ids.includes(stringAt(row, 'cluster.id') ?? '');
  const rows = async (list: Collection): Promise<readonly Json[] | undefined> =>
    (await rowsUnlessFailed(ctx, list))?.flatMap((row) => {
      if (isIn(deleted, row)) return [];
      return [isIn(stopped, row) ? { ...objectOf(row), status: 'EXITED', cost: 0 } : row];
    });
  const [pods, volumes, [endpoints, workers]] = await Promise.all([
    rows(PODS),
    rows(VOLUMES),
    rows(ENDPOINTS).then(async (found) => [found, await readWorkers(ctx, found ?? [])] as const),
  ]);
  return rateOf({ pods, volumes, endpoints, ...workers });
}
