import { resumeBatch, type Resubmit } from '../../../batch/index.ts';
import { usage } from '../../../core/failure.ts';
import type { CommandContext } from '../../../cli/context.ts';
import type { Result } from '../../../output/view.ts';
import { RESUBMIT_STATES, type ResumeValues } from './flags.ts';
import { batchPorts, serviceAddress } from './ports.ts';
import { viewOf } from './progress.ts';
import { batchResult } from './result.ts';
import { usesStore } from './uses-store.ts';

/** Resumes a batch and runs it to its end. Fails with usage (2) and local-file (14) before a file is changed. */
export async function resume(ctx: CommandContext, values: ResumeValues): Promise<Result> {
  if (usesStore(ctx, values.store))
    return await (await import('./shared/run.ts')).resumeShared(ctx, values, resubmitOf(values));
  const { results, input, moved } = values;
  const service = (): Promise<string> => serviceAddress(ctx);
  const options = { results, input, moved, resubmit: resubmitOf(values), service, limits: values };
  return batchResult(ctx, await resumeBatch(await batchPorts(ctx, values, true), options, viewOf(ctx)));
}

/** Returns what --resubmit and its companions ask for. Fails with usage (2) when --only-error stands alone. */
function resubmitOf({ resubmit, resubmitUnknown, onlyError }: ResumeValues): Resubmit | undefined {
  const words = new Set([...resubmit, ...(resubmitUnknown ? ['unknown'] : [])]) as ReadonlySet<
    keyof typeof RESUBMIT_STATES
  >;
  if (onlyError !== undefined && [...words].every((word) => word === 'unknown'))
    throw usage(
      '--only-error needs --resubmit with failed, expired, timed-out or cancelled',
      'It chooses among items that have an error; an unknown item has none.',
    );
  return words.size === 0 ? undefined : { states: [...words].map((word) => RESUBMIT_STATES[word]), onlyError };
}
