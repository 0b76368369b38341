import { resumeBatch, type Resubmit } from '../../../batch/index.ts';
import { usage } from '../../../core/failure.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import type { Result } from '../../../output/view.ts';
import { RESUBMIT_STATES, statesOf, type ResumeValues } from './options/flags.ts';
import { viewOf } from './view/progress.ts';
import { batchResult } from './view/notes.ts';
import { maxTimeOf } from './options/max-time.ts';
import { batchPorts, serviceAddress } from './ports.ts';

/** Resumes a batch and runs it to its end. Fails with usage (2) and local-file (14) before anything is changed. */
export async function resume(ctx: CommandContext, values: ResumeValues): Promise<Result> {
  const { results, input, s3Endpoint } = values;
  const resubmit = resubmitOf(values);
  const limits = { ...values, maxTime: await maxTimeOf(ctx, values) };
  const options = { limits, service: () => serviceAddress(ctx), input, resubmit };
  const report = await resumeBatch(await batchPorts(ctx, s3Endpoint), results, options, viewOf(ctx));
  return batchResult(ctx, report, limits);
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
