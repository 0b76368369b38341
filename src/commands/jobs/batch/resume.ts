import { resumeBatch } from '../../../batch/index.ts';
import type { CommandContext } from '../../../cli/context.ts';
import type { Result } from '../../../output/view.ts';
import type { ResumeValues } from './flags.ts';
import { batchPorts, serviceAddress } from './ports.ts';
import { viewOf } from './progress.ts';
import { batchResult } from './result.ts';

/** Resumes a batch and runs it to its end. Fails with usage (2) and local-file (14) before a file is changed. */
export async function resume(ctx: CommandContext, values: ResumeValues): Promise<Result> {
  const { results, input, moved, resubmitUnknown } = values;
  const service = (): Promise<string> => serviceAddress(ctx);
  const options = { results, input, moved, resubmitUnknown, service, limits: values };
  return batchResult(ctx, await resumeBatch(await batchPorts(ctx), options, viewOf(ctx)));
}
