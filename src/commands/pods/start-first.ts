import { asId } from '../../core/ids.ts';
import type { Json } from '../../core/json.ts';
import { sentence } from '../../core/message.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { option } from '../../cli/model/params.ts';
import { catalogOf, hardwareOf, ofNewPod, perHour, tellPrice } from '../../cli/money.ts';
import { podAction } from '../../cli/resource/pod-action.ts';
import { isAt, REACHABLE, statusOf } from './reachable.ts';
import { waitForPod } from './wait.ts';

export const START = option.on('start the pod first and wait until it can be reached');

const TIMEOUT_MS: Milliseconds = 600_000;

/** Wait-ended (9) after ten minutes, and as the start does. */
export async function startFirst(ctx: CommandContext, pod: Json, id: string): Promise<void> {
  const status = statusOf(pod);
  if (isAt(pod, REACHABLE) || status === 'TERMINATED') return;
  if (status === 'EXITED' || status === 'ERROR') {
    await tellPrice(
      ctx,
      async () => sentence`Starting ${id}: ${hardwareOf(pod)}: ${perHour(ofNewPod(pod, await catalogOf(ctx, pod)))}`,
    );
    await ctx.api.send(podAction(asId(id), 'start'));
  }
  await waitForPod(ctx, id, 'RUNNING', TIMEOUT_MS);
  // A local service of this process starts its server now.
  await ctx.openLocalPods();
  await waitForPod(ctx, id, REACHABLE, TIMEOUT_MS);
}
