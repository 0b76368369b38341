import { beginBatch, checkBatch, type BatchFiles } from '../../../batch/index.ts';
import { DURATION_BOUNDS } from '../../../queue/limits.ts';
import { healthRequest } from '../../../queue/requests.ts';
import { usage } from '../../../core/failure.ts';
import type { CommandContext } from '../../../cli/context.ts';
import { sendTo } from '../../../cli/resource/identity/identify.ts';
import type { Result } from '../../../output/view.ts';
import { ENDPOINTS } from '../../shared/collections.ts';
import { checkBounds } from '../job-flags.ts';
import type { RunValues } from './flags.ts';
import { batchPorts, serviceAddress } from './ports.ts';
import { viewOf } from './progress.ts';
import { batchResult } from './result.ts';
import { describeSkipped, dryRunResult, nameOfInputs } from './run-notes.ts';
import { usesStore } from './uses-store.ts';

/**
 * Begins a batch and runs it to its end. Fails with usage (2) before anything is sent, with local-file (14) when there is
 * a batch or results already, and as the health request of the endpoint does.
 */
export async function runBatch(ctx: CommandContext, values: RunValues): Promise<Result> {
  checkBounds('--execution-timeout', values.executionTimeout, DURATION_BOUNDS.executionTimeout);
  checkBounds('--ttl', values.ttl, DURATION_BOUNDS.ttl);
  if (usesStore(ctx, values.store)) return await (await import('./shared/run.ts')).runShared(ctx, values);
  refuseStoreOptions(values);
  const ports = await batchPorts(ctx, values, true);
  const files: BatchFiles = {
    inputs: values.input,
    results: values.out,
    format: values.inputFormat as BatchFiles['format'],
    inputField: values.inputField,
    idField: values.idField,
    types: values.types,
    csvRaw: ctx.output.csvRaw,
    skipInvalid: values.skipInvalid,
    jobOptions: values,
  };
  if (ctx.dryRun) return await dryRunResult(ctx, values, await checkBatch(ports, files));
  const connect = async () => {
    // A wrong endpoint or key is detected before the first job.
    const { id: endpointId } = await sendTo(ctx, ENDPOINTS, values.endpoint, healthRequest);
    return { endpointId, service: await serviceAddress(ctx) };
  };
  const { endpoint, ordered } = values;
  const view = viewOf(ctx, async (summary) => {
    for (const line of describeSkipped(nameOfInputs(values), summary)) await ctx.tell(line);
  });
  return batchResult(ctx, await beginBatch(ports, { ...files, endpoint, ordered, limits: values, connect }, view));
}

/** Fails with usage (2) when an option of shared batches is given without a store. */
function refuseStoreOptions({ name, lease, compress, shardItems }: RunValues): void {
  const given = Object.entries({ name, lease, compress, 'shard-items': shardItems }).find(
    ([, value]) => value !== undefined,
  );
  if (given !== undefined) throw usage(`--${given[0]} needs --store`, 'It is for batches that several machines share.');
}
