import { asId } from '../../../core/ids.ts';
import { stringAt, type Json } from '../../../core/json.ts';
import type { Milliseconds } from '../../../core/unit-types.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { option } from '../../../cli/model/params.ts';
import { podAction } from '../../shared/pod-action.ts';
import { tellAndAskToStart } from '../actions/ask-before-action.ts';
import { waitForPod } from '../actions/wait-for-status.ts';
import { isAt, REACHABLE, statusOf } from '../pod/reachable.ts';

/** The option of commands that go to a pod. */
export const START = option.on('start the pod first, if it is not running, and wait until it can be reached');

/** How long a start is waited for. */
const TIMEOUT_MS: Milliseconds = 600_000;

/**
 * Starts a pod that does not run, says what it then costs, asks a person where that is much, and waits until it can be reached; one
 * that starts already is only waited for. Does nothing for a pod that can be reached or is gone. Fails as the start does, with
 * declined (2) for a no, and with wait-ended (9) after ten minutes.
 */
export async function startFirst(ctx: CommandContext, pod: Json, word: string): Promise<void> {
  const status = statusOf(pod);
  if (isAt(pod, REACHABLE) || status === 'TERMINATED') return;
  const id = stringAt(pod, 'id') ?? word;
  if (status === 'EXITED' || status === 'ERROR') {
    await tellAndAskToStart(ctx, [pod], true);
    await ctx.api.send(podAction(asId(id), 'start'));
  }
  await waitForPod(ctx, id, 'RUNNING', TIMEOUT_MS);
  // In a local service of this process, its server starts now.
  await ctx.openLocalPods();
  await waitForPod(ctx, id, REACHABLE, TIMEOUT_MS);
}
