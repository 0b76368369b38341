import { refuse, workOnBatch } from '../../../batch/index.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import type { Result } from '../../../output/view.ts';
import type { WorkValues } from './options/flags.ts';
import { viewOf } from './view/progress.ts';
import { batchResult } from './view/result.ts';
import { kindOf, leaseOf, serviceAddress, withStore } from './store/store.ts';

/** Joins the drivers of a batch. Fails with usage (2) for a batch of files, which has one driver at a time. */
export async function work(ctx: CommandContext, values: WorkValues): Promise<Result> {
  refuse(kindOf(ctx, values), 'sharing', 'batch work');
  const leaseMs = leaseOf(values);
  return await withStore(ctx, values, { access: 'migrate', leaseMs }, async ({ store, ports }) => {
    const options = { leaseMs, limits: values, moved: values.moved, service: () => serviceAddress(ctx) };
    return batchResult(ctx, await workOnBatch(ports, store, values.batch, options, viewOf(ctx)));
  });
}
