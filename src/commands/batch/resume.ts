import { type Resubmit, resumeBatch } from '../../batch/index.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { batchResult } from './notes.ts';
import { maxTimeOf, RESUBMIT_STATES, type ResumeValues, statesOf } from './options.ts';
import { batchPorts, serviceAddress } from './ports.ts';
import { viewOf } from './progress.ts';
import { usage } from '../../core/failure.ts';
import type { Result } from '../../output/view.ts';

/** Usage (2), local-file (14) before anything is changed. */
export async function resume(ctx: CommandContext, values: ResumeValues): Promise<Result> {
  const { results, input } = values;
  const resubmit = resubmitOf(values);
  const limits = { ...values, maxTime: await maxTimeOf(ctx, values) };
  const options = { limits, service: () => serviceAddress(ctx), input, resubmit };
  const report = await resumeBatch(await batchPorts(ctx), results, options, viewOf(ctx));
  return batchResult(ctx, report, limits);
}

/** Usage (2) when --only-error stands alone. */
function resubmitOf({ resubmit, resubmitUnknown, onlyError }: ResumeValues): Resubmit | undefined {
  const states = statesOf(RESUBMIT_STATES, [...resubmit, ...(resubmitUnknown ? ['unknown'] : [])]);
  if (onlyError !== undefined && states.every((state) => state === 'unknown'))
    throw usage(
      '--only-error needs --resubmit with failed, expired, timed-out or cancelled',
      'It chooses among items that have an error; an unknown item has none.',
    );
  return states.length === 0 ? undefined : { states, onlyError };
}
