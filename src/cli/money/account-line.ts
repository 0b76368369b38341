import type { Collection } from '../model/collection.ts';
import type { CommandContext } from '../model/context.ts';
import { type Rate, rateDetails, type RateFacts, rateOf, rateText } from './hourly-cost.ts';
import { labelOf } from '../resource/choose.ts';
import { CLUSTERS, CPUS, ENDPOINTS, GPUS, PODS, VOLUMES } from '../resource/collections.ts';
import { listRows } from '../resource/requests.ts';
import { countOf } from '../words.ts';
import { Failure, unlessFailed } from '../../core/failure.ts';
import { isUsableId } from '../../core/ids.ts';
import { type Json, memberAt, numberAt, objectOf, stringAt } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
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

/** What a command has just ended: a list may still show it unchanged (contract rules, 1). */
interface Ended {
  /** A stopped pod's persistent mount is still charged. */
  readonly stopped?: readonly string[];
  /** A deleted cluster takes its pods with it. */
  readonly deleted?: readonly string[];
}

/** As after `ended`. Parts that cannot be read are named in the rate. */
async function readRate(ctx: CommandContext, { stopped = [], deleted = [] }: Ended = {}): Promise<Rate> {
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

export async function accountLine(ctx: CommandContext): Promise<string> {
  const rate = await readRate(ctx);
  return `The account costs ${rateText(rate)}${rateDetails(rate)}.`;
}

/** Only the number without `ctx`. */
export const totalWithAccount =
  (noun: string) =>
  async (rows: readonly Json[], ctx: CommandContext | undefined): Promise<string> =>
    [countOf(rows.length, noun), ...(ctx === undefined ? [] : [await accountLine(ctx)])].join('. ');

/** Never fails: results must be printed even after an interrupt. JSON only for `all`: many requests. */
async function remainingLines(
  ctx: CommandContext,
  ended: Ended,
  isAny: boolean,
  all: boolean,
): Promise<readonly Message[]> {
  const isAsked = all || (isTableOutput(ctx.output) && isAny);
  if (ctx.settings.get('quiet') || !isAsked) return [];
  try {
    const rate = await readRate(ctx, ended);
    const line = `The account goes on costing ${rateText(rate)}${rateDetails(rate)}.`;
    return [line, ...(all ? await endLines(ctx, rate, ended) : [])];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [];
  }
}

const MAX_NAMED = 5;

/** For each cluster, and each endpoint with permanent workers. */
async function endLines(ctx: CommandContext, { parts }: Rate, { deleted = [] }: Ended): Promise<readonly Message[]> {
  const linesOf = async (
    perHour: number | undefined,
    list: Collection,
    isPaid: (row: Json) => boolean,
    lineOf: (row: Json) => Message,
    forMany: Message,
  ): Promise<readonly Message[]> => {
    if ((perHour ?? 0) === 0) return [];
    const rows = ((await rowsUnlessFailed(ctx, list)) ?? []).filter((row) => isUsableId(idOf(row)));
    const paid = rows.filter((row) => isPaid(row) && !deleted.includes(idOf(row)));
    return paid.length === 0 || paid.length > MAX_NAMED ? [forMany] : paid.map(lineOf);
  };
  return [
    ...(await linesOf(
      parts.clusters,
      CLUSTERS,
      () => true,
      (row) => sentence`Still paid: cluster ${labelOf(row)}: ${berth`clusters delete ${idOf(row)}`}`,
      sentence`Clusters are paid until they are deleted: ${berth`clusters list`}`,
    )),
    ...(await linesOf(
      parts.workers,
      ENDPOINTS,
      (row) => (numberAt(row, 'workers.min') ?? 0) > 0,
      (row) =>
        sentence`Still paid: workers of endpoint ${labelOf(row)}: ${berth`endpoints update ${idOf(row)} --workers-min 0`}`,
      sentence`Workers are paid while they run: ${berth`endpoints list`}`,
    )),
  ];
}

export const remainingAfterDelete = async (ctx: CommandContext, ids: readonly string[], all: boolean) =>
  await remainingLines(ctx, { deleted: ids }, ids.length > 0, all);
