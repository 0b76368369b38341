import { sentence, type Message } from '../../../core/message.ts';
import { refuse, type BatchStatus } from '../../../batch/index.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { countOf } from '../../../cli/words/words.ts';
import type { Result } from '../../../output/view.ts';
import { statusMembers, statusView } from './view/status-view.ts';
import { kindOf, withBatch, type StoreValues } from './store/store.ts';

/**
 * Marks a batch as cancelled: its drivers send nothing more, fetch the results of their jobs, and end. One that has ended stays
 * as it is.
 */
export async function cancelBatch(
  ctx: CommandContext,
  values: StoreValues & { readonly batch: string },
): Promise<Result> {
  refuse(kindOf(ctx, values), 'sharing', 'batch cancel');
  return await withBatch(ctx, values, values.batch, async (batch, { store, ports }) => {
    const before = await batch.status();
    if (before.state === 'ended')
      return resultOf(before, ['All of its items have ended: there was nothing to cancel.']);
    await batch.sharing?.cancel();
    const status = await (await store.open(values.batch)).status();
    const drivers = status.shared?.drivers ?? 0;
    return resultOf(status, [
      drivers === 0
        ? 'No driver works on it. Nothing more is sent.'
        : `${countOf(drivers, 'driver')} will see it at the next renewal of a lease, and will fetch the results of the jobs that were sent.`,
      sentence`To go on with it: ${ports.resumeCommand(values.batch)}`,
    ]);
  });
}

const resultOf = (status: BatchStatus, notes: readonly Message[]): Result => ({
  kind: 'one',
  view: statusView(),
  value: statusMembers(status),
  notes,
});
