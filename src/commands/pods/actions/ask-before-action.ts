import type { Json } from '../../../core/json.ts';
import { askToStart, isAsked, tellAndAsk, tellPrice } from '../../../cli/resource/ask-before-write.ts';
import { labelOf, readTargets } from '../../../cli/resource/choose.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { priceOfStart } from '../pod/price.ts';
import { PODS } from '../pod/resource.ts';
import { hasReached, type Action } from './refused.ts';

/**
 * Asks a person before pods that are named restart, and before they start if together they cost much, or what is not known: as about
 * a create. Nothing is read for a script and a dry run, as for any pod that they name. Fails with declined (2) for a no.
 */
export async function askBeforeAction(ctx: CommandContext, action: Action, words: readonly string[]): Promise<void> {
  if (action === 'stop' || !isAsked(ctx)) return;
  const pods = (await readTargets(ctx, PODS, words)).flatMap(({ row }) => row ?? []);
  const stopped = pods.filter((pod) => !hasReached('start', 'RUNNING', pod));
  if (action === 'restart' && pods.length > 0) await tellAndAskToRestart(ctx, pods);
  if (action === 'start' && stopped.length > 0) await tellAndAskToStart(ctx, stopped, false);
}

async function tellAndAskToRestart(ctx: CommandContext, pods: readonly Json[]): Promise<void> {
  const [it, its] = pods.length === 1 ? ['it', 'its container disk'] : ['them', 'their container disks'];
  const line = `This restarts ${pods.map(labelOf).join(', ')} and wipes ${its}; what is on mounts stays.`;
  await tellAndAsk(ctx, line, `Restart ${it}`, 'not confirmed: nothing was restarted');
}

/**
 * Says what the start of pods costs, and asks where it costs much; with `always` it is said without a question too. Fails as
 * `askBeforeAction`.
 */
export async function tellAndAskToStart(ctx: CommandContext, pods: readonly Json[], always: boolean): Promise<void> {
  const price = await tellPrice(ctx, async () => {
    const found = await priceOfStart(ctx, pods);
    return always || found.asks ? found : undefined;
  });
  if (price !== undefined) await askToStart(ctx, price, pods.length === 1);
}
