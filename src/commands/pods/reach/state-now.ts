import { unlessFailed } from '../../../core/failure.ts';
import { berth, sentence, type Message } from '../../../core/message.ts';
import { safeText } from '../../../core/safe-text.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { readRow } from '../../../cli/resource/identity/identify.ts';
import { statusOf } from '../pod/reachable.ts';
import { PODS } from '../pod/resource.ts';
import { startOf, type ReachablePod } from './reach-pod.ts';

/** What is known of a pod after a connection to it has broken: the pod is read again. Nothing where that fails too. */
export async function stateNow(
  ctx: CommandContext,
  { id, start }: Pick<ReachablePod, 'id' | 'start'>,
): Promise<readonly Message[]> {
  const row = await unlessFailed(ctx, async () => (await readRow(ctx, PODS, id)).answer.value ?? null);
  if (row === undefined) return [];
  if (statusOf(row) !== 'RUNNING') return [`The pod is ${safeText(statusOf(row))} now.`];
  if (startOf(row, id).start !== start)
    return [
      'The pod was started again meanwhile: what ran in it has ended, and its container disk was wiped; what is on its mounts stays.',
    ];
  return [
    sentence`The pod still runs, and was not started again. If it refused your keys: which would fit, and what to do, says ${berth`pods ssh ${id} --explain`}.`,
  ];
}
