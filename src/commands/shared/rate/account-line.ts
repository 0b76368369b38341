import { Failure } from '../../../core/failure.ts';
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
 * What the account goes on costing after something was stopped or deleted: one line, for a person alone, because it takes
 * several requests. `ended` are the ids of what no longer costs, which a list may still have. Never fails: what was done
 * must be printed, also after an interrupt.
 */
export async function remainingLines(ctx: CommandContext, ended: readonly string[]): Promise<readonly string[]> {
  if (!isForPerson(ctx) || ctx.settings.get('quiet') || ended.length === 0) return [];
  try {
    const rate = await readRate(ctx, new Set(ended));
    return [`The account goes on costing ${rateText(rate)}${rateDetails(rate)}.`];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [];
  }
}
