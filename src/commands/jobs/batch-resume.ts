import { mustExist, resumeBatch } from '../../batch/batch.ts';
import { replay } from '../../batch/replay.ts';
import { identify } from '../../batch/survey.ts';
import type { InputIdentity } from '../../batch/record.ts';
import type { DurableFiles } from '../../core/context.ts';
import { usage } from '../../core/failure.ts';
import type { CommandContext } from '../../cli/context.ts';
import type { Result } from '../../output/view.ts';
import type { ResumeValues } from './batch-flags.ts';
import { driveBatch } from './batch-drive.ts';
import { resultsPath } from './batch-out.ts';
import { serviceOf } from './batch-run.ts';
import { resumeLine } from './batch-view.ts';

/** Goes on with a batch. Fails with usage (2) before anything is touched, and as driveBatch does. */
export async function goOn(ctx: CommandContext, values: ResumeValues): Promise<Result> {
  const durable = await ctx.durable();
  const path = await resultsPath(durable, values.results);
  await mustExist(durable, path);
  const { header } = await replay(durable, path);
  const service = await serviceOf(ctx);
  if (service !== header.service && !values.moved)
    throw usage(
      `this batch was begun at ${header.service}, and the address in use is ${service}`,
      `Use the settings it was begun with. Where it is the same service: ${resumeLine(path, '--moved')}`,
    );
  const inputPath = values.input ?? header.input.path;
  await mustBeSame(durable, inputPath, header.input);
  const batch = await resumeBatch(durable, path, {
    wantFailed: (values.retryFailed ?? 0) > 0,
    resubmitUnknown: values.resubmitUnknown,
  });
  for (const line of batch.mended) await ctx.tell(line);
  return await driveBatch(ctx, durable, path, batch, inputPath, values);
}

/** An item is known by its place in the input: another input would send other things in its place. */
async function mustBeSame(durable: DurableFiles, path: string, identity: InputIdentity): Promise<void> {
  if ((await durable.size(path)) === undefined)
    throw usage(`the input ${path} is not there`, 'Say where it lies now: --input FILE');
  const { bytes, sha256 } = await identify(durable.read(path));
  if (bytes !== identity.bytes || sha256 !== identity.sha256)
    throw usage(
      `the input ${path} is not the one this batch was begun with (${String(identity.bytes)} bytes then, ${String(bytes)} now)`,
      'Bring the old one back, or begin a new batch.',
    );
}
