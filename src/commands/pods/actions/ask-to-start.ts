import type { Json } from '../../../core/json.ts';
import { askToStart, isAsked, tellPrice } from '../../../cli/resource/ask-before-write.ts';
import { readTargets } from '../../../cli/resource/choose.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { priceOfStart } from '../pod/price.ts';
import { PODS } from '../pod/resource.ts';
import { hasReached } from './refused.ts';

/**
 * Asks a person before the start of pods that together cost much, or what is not known: as about a create. Nothing is read for a
 * script and a dry run, and nothing is said of a price that is not asked about. Fails with declined (2) for a no.
 */
export async function askBeforeStart(ctx: CommandContext, words: readonly string[]): Promise<void> {
  if (!isAsked(ctx)) return;
  const targets = await readTargets(ctx, PODS, words);
  const pods = targets.flatMap(({ row }) => (row === undefined || hasReached('start', 'RUNNING', row) ? [] : [row]));
  if (pods.length > 0) await tellAndAskToStart(ctx, pods, false);
}

/**
 * Says what the start of pods costs, and asks where it costs much; with `always` it is said without a question too. Fails as
 * `askBeforeStart`.
 */
export async function tellAndAskToStart(ctx: CommandContext, pods: readonly Json[], always: boolean): Promise<void> {
  const price = await tellPrice(ctx, async () => {
    const found = await priceOfStart(ctx, pods);
    return always || found.asks ? found : undefined;
  });
  if (price !== undefined) await askToStart(ctx, price, pods.length === 1);
}
