import { goOnWithBatch, refuse, type Resubmit } from '../../../batch/index.ts';
import { usage } from '../../../core/failure.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import type { Result } from '../../../output/view.ts';
import { RESUBMIT_STATES, statesOf, type ResumeValues, type WorkValues } from './options/flags.ts';
import { viewOf } from './view/progress.ts';
import { batchResult } from './view/notes.ts';
import { maxTimeOf } from './options/max-time.ts';
import { kindOf, leaseOf, serviceAddress, withStore } from './store/store.ts';

/** Resumes a batch and runs it to its end. Fails with usage (2) and local-file (14) before anything is changed. */
export async function resume(ctx: CommandContext, values: ResumeValues): Promise<Result> {
  const { results, input } = values;
  const resubmit = resubmitOf(values);
  if (input.length > 0) refuse(kindOf(ctx, values), 'movedInputs', '--input');
  return await goOn(ctx, values, results, { input, resubmit });
}

/** Joins the drivers of a batch. Fails with usage (2) for a batch of files, which has one driver at a time. */
export async function work(ctx: CommandContext, values: WorkValues): Promise<Result> {
  refuse(kindOf(ctx, values), 'sharing', 'batch work');
  return await goOn(ctx, values, values.batch, undefined);
}

async function goOn(
  ctx: CommandContext,
  values: Omit<WorkValues, 'batch'>,
  name: string,
  resume: Parameters<typeof goOnWithBatch>[3]['resume'],
): Promise<Result> {
  const leaseMs = leaseOf(values);
  const limits = { ...values, maxTime: await maxTimeOf(ctx, values) };
  return await withStore(ctx, values, { access: 'migrate', leaseMs }, async ({ store, ports }) => {
    const options = { leaseMs, limits, moved: values.moved, service: () => serviceAddress(ctx), resume };
    return batchResult(ctx, await goOnWithBatch(ports, store, name, options, viewOf(ctx)), limits);
  });
}

/** Returns what --resubmit and its companions ask for. Fails with usage (2) when --only-error stands alone. */
function resubmitOf({ resubmit, resubmitUnknown, onlyError }: ResumeValues): Resubmit | undefined {
  const states = statesOf(RESUBMIT_STATES, [...resubmit, ...(resubmitUnknown ? ['unknown'] : [])]);
  if (onlyError !== undefined && states.every((state) => state === 'unknown'))
    throw usage(
      '--only-error needs --resubmit with failed, expired, timed-out or cancelled',
      'It chooses among items that have an error; an unknown item has none.',
    );
  return states.length === 0 ? undefined : { states, onlyError };
}
