import { sentence } from '../../../../core/message.ts';
import { setCancelled, sharedStatus, type SharedStatus } from '../../../../batch/shared/index.ts';
import { allowedAccess, requireAccess } from '../../../../core/access.ts';
import { EXIT } from '../../../../core/exit-codes.ts';
import type { CommandContext } from '../../../../cli/context.ts';
import { countOf } from '../../../../cli/words.ts';
import { text } from '../../../../output/layout/cell-functions.ts';
import type { Result, View } from '../../../../output/view.ts';
import type { StatusValues } from '../flags.ts';
import { batchView, summaryOf } from '../view.ts';
import { withStore, type StoreValues } from './store.ts';

/** Shows the state of a shared batch. Changes nothing. */
export async function statusShared(ctx: CommandContext, values: StatusValues): Promise<Result> {
  return await withStore(ctx, values, 'read', async ({ ports, find }) => {
    const batch = await find(values.results);
    const status = await sharedStatus(ports.database, batch, ports.reference(batch.name));
    const { counts } = status;
    return {
      kind: 'one',
      view: statusView,
      value: summaryOf(status, {
        ...membersOf(status),
      }),
      exit: values.exitStatus && counts.completed !== counts.planned ? EXIT.batchIncomplete : EXIT.done,
      notes: [
        ...(status.holds ? [] : ['The counts do not add up: rows of the store were changed by hand or restored.']),
        ...(status.resumable && status.state !== 'running'
          ? [sentence`Go on with: ${ports.resumeCommand(batch.name)}`]
          : []),
      ],
    };
  });
}

/** Marks a batch as cancelled: its drivers send nothing more, fetch the results of their jobs, and end. */
export async function cancelShared(
  ctx: CommandContext,
  values: StoreValues & { readonly batch: string },
): Promise<Result> {
  requireAccess('write', allowedAccess(ctx.settings));
  return await withStore(ctx, values, 'read', async ({ ports, find }) => {
    const batch = await find(values.batch);
    await setCancelled(ports.database, batch.batch, true);
    const status = await sharedStatus(ports.database, await find(values.batch), ports.reference(batch.name));
    const { drivers } = status;
    return {
      kind: 'one',
      view: statusView,
      value: summaryOf(status, membersOf(status)),
      notes: [
        drivers === 0
          ? 'No driver works on it. Nothing more is sent.'
          : `${countOf(drivers, 'driver')} will see it at the next renewal of a lease, and will fetch the results of the jobs that were sent.`,
        sentence`To go on with it: ${ports.resumeCommand(batch.name)}`,
      ],
    };
  });
}

const membersOf = ({ state, drivers, shards, doneShards, out, begunAt, holds }: SharedStatus) => ({
  state,
  drivers,
  shards,
  doneShards,
  out,
  begun: new Date(begunAt).toISOString(),
  holds,
});

const statusView: View = {
  ...batchView,
  detail: (row, facts) => {
    const [about, ...others] = batchView.detail?.(row, facts) ?? [];
    return [
      {
        lines: [
          ...(about?.lines ?? []).filter(({ label }) => label !== 'state' && label !== 'results'),
          { label: 'results', value: text('out')(row) },
          { label: 'state', value: text('state')(row) },
          { label: 'drivers', value: text('drivers')(row) },
          { label: 'shards', value: `${text('doneShards')(row)} of ${text('shards')(row)} done` },
        ],
      },
      ...others,
    ];
  },
};
