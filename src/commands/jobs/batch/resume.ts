import { mustExist, resumeBatch } from '../../../batch/store/open-batch.ts';
import { inputPlaces } from '../../../batch/store/file-names.ts';
import { replay } from '../../../batch/store/journal/replay.ts';
import { fingerprint } from '../../../batch/input/fingerprint.ts';
import type { InputIdentity } from '../../../batch/store/journal/record.ts';
import type { DurableFiles } from '../../../core/context.ts';
import { usage } from '../../../core/failure.ts';
import type { CommandContext } from '../../../cli/context.ts';
import type { Result } from '../../../output/view.ts';
import type { ResumeValues } from './flags.ts';
import { driveBatch, type BatchInput } from '../../../batch/run-to-end.ts';
import { resultsPath } from '../../../batch/store/results-path.ts';
import { readThrough } from '../../../batch/input/read-input.ts';
import { serviceOf } from './run.ts';
import { resumeLine } from './view.ts';

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
      `Use the settings it was begun with. Where it is the same service: ${resumeLine(ctx.settings.local, path, '--moved')}`,
    );
  const input = await sameInput(
    ctx,
    durable,
    values.input === undefined ? inputPlaces(path, header.input) : [values.input],
    header.input,
  );
  const batch = await resumeBatch(durable, path, {
    wantFailed: (values.retryFailed ?? 0) > 0,
    resubmitUnknown: values.resubmitUnknown,
    interrupt: ctx.signal,
  });
  for (const line of batch.mended) await ctx.tell(line);
  return await driveBatch(ctx, durable, path, batch, input, values);
}

/**
 * The first of some places where the input lies that a batch was begun with. An item is known by its place in the input:
 * another input would send other things in its place. Fails with usage (2) where it lies at none.
 */
async function sameInput(
  ctx: CommandContext,
  durable: DurableFiles,
  places: readonly string[],
  identity: InputIdentity,
): Promise<BatchInput> {
  let other: string | undefined;
  for (const path of places) {
    if ((await durable.size(path)) === undefined) continue;
    const found = await fingerprint(readThrough(ctx, durable, path));
    if (found.bytes === identity.bytes && found.sha256 === identity.sha256) return { path, fingerprint: found };
    other ??= `the input ${path} is not the one this batch was begun with (${String(identity.bytes)} bytes then, ${String(found.bytes)} now)`;
  }
  if (other !== undefined) throw usage(other, 'Bring the old one back, or begin a new batch.');
  throw usage(`the input ${places[0] ?? ''} is not there`, 'Say where it lies now: --input FILE');
}
