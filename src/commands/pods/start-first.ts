import type { CommandContext } from '../../cli/model/context.ts';
import { option } from '../../cli/model/params.ts';
import { askToStart, isAsked, tellAndAsk, tellPrice } from '../../cli/resource/ask-before-write.ts';
import { labelOf, readTargets } from '../../cli/resource/choose.ts';
import { podAction } from '../../cli/resource/pod-action.ts';
import { priceOfStart } from './price.ts';
import { isAt, REACHABLE, statusOf } from './reachable.ts';
import { type Action, hasReached } from './refusals.ts';
import { PODS } from './resource.ts';
import { waitForPod } from './wait.ts';
import { asId } from '../../core/ids.ts';
import { type Json, stringAt } from '../../core/json.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

/** Before restarts, and starts that together cost much or an unknown amount. Declined (2) for a no. */
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

/** Asks where it costs much; with `always` says it anyway. Fails as `askBeforeAction`. */
async function tellAndAskToStart(ctx: CommandContext, pods: readonly Json[], always: boolean): Promise<void> {
  const price = await tellPrice(ctx, async () => {
    const found = await priceOfStart(ctx, pods);
    return always || found.asks ? found : undefined;
  });
  if (price !== undefined) await askToStart(ctx, price, pods.length === 1);
}

export const START = option.on('start the pod first, if it is not running, and wait until it can be reached');

const TIMEOUT_MS: Milliseconds = 600_000;

/** Asks about high costs. Declined (2), wait-ended (9) after ten minutes, and as the start does. */
export async function startFirst(ctx: CommandContext, pod: Json, word: string): Promise<void> {
  const status = statusOf(pod);
  if (isAt(pod, REACHABLE) || status === 'TERMINATED') return;
  const id = stringAt(pod, 'id') ?? word;
  if (status === 'EXITED' || status === 'ERROR') {
    await tellAndAskToStart(ctx, [pod], true);
    await ctx.api.send(podAction(asId(id), 'start'));
  }
  await waitForPod(ctx, id, 'RUNNING', TIMEOUT_MS);
  // A local service of this process starts its server now.
  await ctx.openLocalPods();
  await waitForPod(ctx, id, REACHABLE, TIMEOUT_MS);
}
