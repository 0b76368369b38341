import { Failure } from '../../../core/failure.ts';
import { berth, sentence, type Message } from '../../../core/message.ts';
import type { Json } from '../../../core/json.ts';
import { isForPerson } from '../../../cli/run/for-person.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { countOf } from '../../../cli/words/words.ts';
import { rateDetails, rateText } from './hourly-cost.ts';
import { readRate } from './read-rate.ts';

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
 * What the account goes on costing after something was stopped or deleted, for a person, because it takes several requests.
 * `ended` are the ids of what no longer costs, which a list may still have. After a command for `all` of a noun it is for a
 * script too, also where there was nothing to end, with the commands that show what else is paid. Never fails: what was done
 * must be printed, also after an interrupt.
 */
export async function remainingLines(
  ctx: CommandContext,
  ended: readonly string[],
  all: boolean,
): Promise<readonly Message[]> {
  if (ctx.settings.get('quiet') || (!all && (!isForPerson(ctx) || ended.length === 0))) return [];
  try {
    const rate = await readRate(ctx, new Set(ended));
    const line = `The account goes on costing ${rateText(rate)}${rateDetails(rate)}.`;
    const others = [
      ...((rate.parts.clusters ?? 0) > 0
        ? [sentence`Clusters are paid until they are deleted: ${berth`clusters list`}`]
        : []),
      ...((rate.parts.workers ?? 0) > 0 ? [sentence`Workers are paid while they run: ${berth`endpoints list`}`] : []),
    ];
    return [line, ...(all ? others : [])];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [];
  }
}
