import { EXIT } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import { memberAt, stringsOf, type Json } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { readRow } from '../../../cli/resource/identity/identify.ts';
import { describeReach, directSsh, isReachable, statusOf } from '../pod/reachable.ts';
import { PODS } from '../pod/resource.ts';
import { notReachable, reachableOf, type ReachablePod } from './reach-pod.ts';

/** Waits between two looks at a pod, and between two tries to connect: they double up to the last one. Milliseconds. */
const [FIRST_WAIT_MS, LAST_WAIT_MS] = [500, 15_000];

/** Returns what waits, each time twice as long as before; `reset` begins again. Aborts with the signal of the command. */
export function growingWaits(ctx: CommandContext) {
  let nextMs = FIRST_WAIT_MS;
  return {
    reset: (): void => {
      nextMs = FIRST_WAIT_MS;
    },
    wait: async (): Promise<void> => {
      const waitMs = nextMs;
      nextMs = Math.min(LAST_WAIT_MS, nextMs * 2);
      await ctx.clock.sleep(waitMs, ctx.signal);
    },
  };
}

/** Whether a pod that cannot be reached now will be, without anybody's help: it is starting. */
function isComing(pod: Json): boolean {
  const status = statusOf(pod);
  if (status === 'PROVISIONING' || status === 'STARTING') return true;
  return status === 'RUNNING' && stringsOf(memberAt(pod, 'ports')).includes('22/tcp') && !isReachable(pod);
}

/**
 * The present address of a pod. Waits while it starts, and says so once. `known` is the pod as it was reached before: then a
 * service that cannot be reached is asked again without end, because this machine may have lost its network, and a pod that has
 * ended fails with pod-ended (10). Else fails as `reachPod`.
 */
export async function reachWhenThere(
  ctx: CommandContext,
  word: string,
  known?: Pick<ReachablePod, 'id' | 'name'>,
): Promise<ReachablePod> {
  const waits = growingWaits(ctx);
  const told = new Set<string>();
  const tellOnce = async (line: string): Promise<void> => {
    if (!told.has(line)) await ctx.tell(line);
    told.add(line);
  };
  await ctx.openLocalPods();
  for (;;) {
    try {
      const { answer } = await readRow(ctx, PODS, known?.id ?? word);
      const pod = answer.value ?? null;
      if (directSsh(pod) !== undefined) return reachableOf(answer, word);
      if (!isComing(pod)) throw known === undefined ? notReachable(pod, word) : hasEnded(known, pod);
      await tellOnce(`Pod ${known?.name ?? word} is ${describeReach(pod)}: waiting until it can be reached.`);
    } catch (error) {
      if (known === undefined || !(error instanceof Failure) || ctx.signal.aborted) throw error;
      if (error.exit === EXIT.notFound) throw hasEnded(known, { status: 'gone' });
      if (error.exit !== EXIT.unavailable && error.exit !== EXIT.rateLimited) throw error;
      await tellOnce(
        `The service could not be asked for the address of ${known.name}: ${error.message}. Trying again.`,
      );
    }
    await waits.wait();
  }
}

/** The failure for a pod that no connection can go to any more. */
function hasEnded({ id, name }: Pick<ReachablePod, 'id' | 'name'>, pod: Json): Failure {
  const status = statusOf(pod);
  const { hint } = notReachable(pod, id);
  return new Failure({
    code: 'pod-ended',
    exit: EXIT.jobFailed,
    message: `pod ${name} is ${status}, so nothing is connected to it any more`,
    hint: status === 'gone' ? undefined : hint,
    id,
  });
}
