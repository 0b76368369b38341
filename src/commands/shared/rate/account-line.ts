import { Failure } from '../../../core/failure.ts';
import { berth, sentence, type Message } from '../../../core/message.ts';
import { isUsableId } from '../../../core/ids.ts';
import { numberAt, type Json } from '../../../core/json.ts';
import type { Collection } from '../../../cli/model/collection.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { labelOf } from '../../../cli/resource/choose.ts';
import { countOf } from '../../../cli/words/words.ts';
import { isTableOutput } from '../../../output/formats/format-table.ts';
import { idOf } from '../../../output/view.ts';
import { CLUSTERS, ENDPOINTS } from '../collections.ts';
import { rateDetails, rateText, type Rate } from './hourly-cost.ts';
import { readRate, rowsUnlessFailed, type Ended } from './read-rate.ts';

/** `The account costs $16.63 an hour (pods $8.27, workers $8.36).` */
export async function accountLine(ctx: CommandContext): Promise<string> {
  const rate = await readRate(ctx);
  return `The account costs ${rateText(rate)}${rateDetails(rate)}.`;
}

/** The sentence after a list: `3 endpoints. The account costs ...`; the number alone without `ctx`. */
export const totalWithAccount =
  (noun: string) =>
  async (rows: readonly Json[], ctx: CommandContext | undefined): Promise<string> =>
    [countOf(rows.length, noun), ...(ctx === undefined ? [] : [await accountLine(ctx)])].join('. ');

/**
 * What the account goes on costing where something ended (`isAny`), also in a log. With JSON it takes too many requests, but
 * for a command for `all` of a noun: there it is said also where there was nothing to end, with the commands that end what
 * else is paid. Never fails: what was done must be printed, also after an interrupt.
 */
export async function remainingLines(
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

/** More things than this are not named one by one. */
const MAX_NAMED = 5;

/** The commands that end what is paid besides pods and volumes: for each cluster, and each endpoint whose workers always run. */
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

/** What the account goes on costing after things with these ids were deleted. See `remainingLines`. */
export const remainingAfterDelete = async (ctx: CommandContext, ids: readonly string[], all: boolean) =>
  await remainingLines(ctx, { deleted: ids }, ids.length > 0, all);

/** What the account goes on costing after pods with these ids were stopped. See `remainingLines`. */
export const remainingAfterStop = async (ctx: CommandContext, ids: readonly string[], all: boolean) =>
  await remainingLines(ctx, { stopped: ids }, ids.length > 0, all);
