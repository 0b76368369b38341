import { beginBatch, checkBatch, describeInvalid, type InputSummary } from '../../../batch/index.ts';
import { DURATION_BOUNDS } from '../../../queue/limits.ts';
import { healthRequest, runRequest } from '../../../queue/requests.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { unlessUnread } from '../../../cli/run/context/dry-run.ts';
import { sendTo } from '../../../cli/resource/identity/identify.ts';
import type { Result } from '../../../output/view.ts';
import { ENDPOINTS } from '../../shared/collections.ts';
import { checkBounds } from '../duration-bounds.ts';
import type { RunValues } from './options/flags.ts';
import { viewOf } from './view/progress.ts';
import { batchResult } from './view/notes.ts';
import { maxTimeOf, withDeadline } from './options/max-time.ts';
import { batchPorts, serviceAddress } from './ports.ts';
import { asId } from '../../../core/ids.ts';
import type { Json } from '../../../core/json.ts';
import { optionsText, submissionBody } from '../../../queue/submission.ts';
import { countOf } from '../../../cli/words/words.ts';
import { dryRunView } from './view/summary-view.ts';

/**
 * Begins a batch and runs it to its end. Fails with usage (2) before anything is sent, with local-file (14) when there is
 * a batch or results already, and as the health request of the endpoint does.
 */
export async function runBatch(outer: CommandContext, given: RunValues): Promise<Result> {
  const maxTime = await maxTimeOf(outer, given);
  const [ctx, values] = [withDeadline(outer, maxTime), { ...given, maxTime }];
  checkBounds('--execution-timeout', values.executionTimeout, DURATION_BOUNDS.executionTimeout);
  checkBounds('--ttl', values.ttl, DURATION_BOUNDS.ttl);
  const ports = await batchPorts(ctx, values.s3Endpoint);
  const options = {
    ...values,
    inputs: values.input,
    format: values.inputFormat,
    csvRaw: ctx.output.csvRaw,
    jobOptions: values,
  };
  if (ctx.dryRun) return await dryRunResult(ctx, values, await checkBatch(ports, options));
  const run = { endpoint: values.endpoint, limits: values, connect: () => connect(ctx, values.endpoint) };
  const view = viewOf(ctx, async (summary) => {
    const leftOut = describeSkipped(nameOfInputs(values), summary);
    for (const line of [...leftOut, ...describeApostrophes(summary)]) await ctx.tell(line);
  });
  return batchResult(ctx, await beginBatch(ports, options, run, view), values);
}

/** A wrong endpoint or key is detected before the first job. */
async function connect(ctx: CommandContext, endpoint: string) {
  const { id: endpointId } = await sendTo(ctx, ENDPOINTS, endpoint, healthRequest);
  return { endpointId, service: await serviceAddress(ctx) };
}

/** Returns the name of the inputs for messages. */
const nameOfInputs = ({ input }: RunValues): string => input.join(' ');

/** Number of skipped items that are named one by one. */
const MAX_NAMED = 10;

/** Returns what --skip-invalid leaves out, one line for each item. */
function describeSkipped(path: string, { invalid, invalidItems }: InputSummary): readonly string[] {
  if (invalid === 0) return [];
  const named = invalidItems.slice(0, MAX_NAMED);
  return [
    `${countOf(invalid, 'item')} left out: ${invalid === 1 ? 'it' : 'they'} cannot be sent.`,
    ...named.map((item) => describeInvalid(path, item)),
    ...(invalid > named.length ? [`and ${invalid - named.length} more`] : []),
  ];
}

/** Returns what was taken away from the cells of CSV files: one that berth never exported may need it. */
const describeApostrophes = ({ removedApostrophes: count }: InputSummary): readonly string[] =>
  count === 0
    ? []
    : [
        `${countOf(count, 'CSV cell')} lost the apostrophe before = + - @, a tab or a line break, which an export of berth adds. --csv-raw keeps it.`,
      ];

/** Returns counts, sizes, and the first request as it would be sent. Fails with not-found (4) where there is no such endpoint. */
async function dryRunResult(ctx: CommandContext, values: RunValues, summary: InputSummary): Promise<Result> {
  const input = nameOfInputs(values);
  const body = { raw: submissionBody(summary.first?.input ?? new Uint8Array(0), optionsText(values)) };
  const found = await unlessUnread(ctx, () => sendTo(ctx, ENDPOINTS, values.endpoint, healthRequest));
  const first = await ctx.api.preview({ ...runRequest(found?.id ?? asId(values.endpoint)), body });
  const { planned, invalid, bytes: inputBytes, bodyBytes, largestBody, removedApostrophes } = summary;
  const value: Json = {
    ...{ input, planned, invalid, inputBytes, bodyBytes, largestBody, removedApostrophes },
    first: { method: first.method, url: first.url, headers: { ...first.headers }, body: first.body ?? null },
  };
  return {
    kind: 'one',
    view: dryRunView,
    value,
    notes: [...summary.invalidItems.map((item) => describeInvalid(input, item)), ...describeApostrophes(summary)],
  };
}
