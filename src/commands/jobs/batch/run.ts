import { beginBatch, checkBatch, describeInvalid, type BatchFiles, type InputSummary } from '../../../batch/index.ts';
import { asId } from '../../../core/ids.ts';
import type { Json } from '../../../core/json.ts';
import { DURATION_BOUNDS } from '../../../queue/limits.ts';
import { healthRequest, runRequest } from '../../../queue/requests.ts';
import type { CommandContext } from '../../../cli/context.ts';
import { sendTo } from '../../../cli/resource/identity/identify.ts';
import { countOf } from '../../../cli/words.ts';
import type { Result } from '../../../output/view.ts';
import { ENDPOINTS } from '../../shared/collections.ts';
import { checkBounds } from '../job-flags.ts';
import type { RunValues } from './flags.ts';
import { batchPorts, serviceAddress } from './ports.ts';
import { viewOf } from './progress.ts';
import { batchResult } from './result.ts';
import { dryRunView } from './view.ts';

/**
 * Begins a batch and runs it to its end. Fails with usage (2) before anything is sent, with local-file (14) when there is
 * a batch or results already, and as the health request of the endpoint does.
 */
export async function runBatch(ctx: CommandContext, values: RunValues): Promise<Result> {
  checkBounds('--execution-timeout', values.executionTimeout, DURATION_BOUNDS.executionTimeout);
  checkBounds('--ttl', values.ttl, DURATION_BOUNDS.ttl);
  const ports = await batchPorts(ctx, values);
  const files: BatchFiles = {
    inputs: values.input,
    results: values.out,
    format: values.inputFormat as BatchFiles['format'],
    inputField: values.inputField,
    idField: values.idField,
    types: values.types,
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
    for (const line of describeSkipped(nameOf(values), summary)) await ctx.tell(line);
  });
  return batchResult(ctx, await beginBatch(ports, { ...files, endpoint, ordered, limits: values, connect }, view));
}

/** Returns the name of the inputs for messages. */
const nameOf = ({ input }: RunValues): string => input.join(' ');

/** Number of skipped items that are named one by one. */
const MAX_NAMED = 10;

/** Returns what --skip-invalid leaves out, one line for each item. */
function describeSkipped(path: string, { invalid, invalidItems }: InputSummary): readonly string[] {
  if (invalid === 0) return [];
  const named = invalidItems.slice(0, MAX_NAMED);
  return [
    `${countOf(invalid, 'item')} left out: ${invalid === 1 ? 'it' : 'they'} cannot be sent.`,
    ...named.map((item) => describeInvalid(path, item)),
    ...(invalid > named.length ? [`and ${String(invalid - named.length)} more`] : []),
  ];
}

/** Returns counts, sizes, and the first request as it would be sent. */
async function dryRunResult(ctx: CommandContext, values: RunValues, summary: InputSummary): Promise<Result> {
  const input = nameOf(values);
  const body = { raw: summary.first?.body ?? new Uint8Array(0) };
  const first = await ctx.api.preview({ ...runRequest(asId(values.endpoint)), body });
  const value: Json = {
    input,
    planned: summary.planned,
    invalid: summary.invalid,
    inputBytes: summary.fingerprint.bytes,
    bodyBytes: summary.bodyBytes,
    largestBody: summary.largestBody,
    first: { method: first.method, url: first.url, headers: { ...first.headers }, body: first.body ?? null },
  };
  return {
    kind: 'one',
    view: dryRunView,
    value,
    notes: summary.invalidItems.map((item) => describeInvalid(input, item)),
  };
}
