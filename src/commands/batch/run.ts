import { beginBatch, checkBatch, describeInvalid, type InputSummary } from '../../batch/index.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { ENDPOINTS } from '../../cli/resource/collections.ts';
import { sendTo } from '../../cli/resource/identify.ts';
import { unlessUnread } from '../../cli/run/dry-run.ts';
import { countOf } from '../../cli/words.ts';
import { batchResult } from './notes.ts';
import { checkBounds, maxTimeOf, type RunValues, withDeadline } from './options.ts';
import { batchPorts, serviceAddress } from './ports.ts';
import { viewOf } from './progress.ts';
import { dryRunView } from './summary-view.ts';
import { asId } from '../../core/ids.ts';
import type { Json } from '../../core/json.ts';
import type { Result } from '../../output/view.ts';
import { DURATION_BOUNDS } from '../../queue/limits.ts';
import { healthRequest, runRequest } from '../../queue/requests.ts';
import { optionsText, submissionBody } from '../../queue/submission.ts';

/** Usage (2) before sending, local-file (14) if a batch or results exist; else as the health request. */
export async function runBatch(outer: CommandContext, given: RunValues): Promise<Result> {
  const maxTime = await maxTimeOf(outer, given);
  const [ctx, values] = [withDeadline(outer, maxTime), { ...given, maxTime }];
  checkBounds('--execution-timeout', values.executionTimeout, DURATION_BOUNDS.executionTimeout);
  checkBounds('--ttl', values.ttl, DURATION_BOUNDS.ttl);
  const ports = await batchPorts(ctx);
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

/** Detects a wrong endpoint or key before the first job. */
async function connect(ctx: CommandContext, endpoint: string) {
  const { id: endpointId } = await sendTo(ctx, ENDPOINTS, endpoint, healthRequest);
  return { endpointId, service: await serviceAddress(ctx) };
}

const nameOfInputs = ({ input }: RunValues): string => input.join(' ');

const MAX_NAMED = 10;

function describeSkipped(path: string, { invalid, invalidItems }: InputSummary): readonly string[] {
  if (invalid === 0) return [];
  const named = invalidItems.slice(0, MAX_NAMED);
  return [
    `${countOf(invalid, 'item')} left out: ${invalid === 1 ? 'it' : 'they'} cannot be sent.`,
    ...named.map((item) => describeInvalid(path, item)),
    ...(invalid > named.length ? [`and ${invalid - named.length} more`] : []),
  ];
}

/** Removed from CSV cells: a file that berth never exported may need them. */
const describeApostrophes = ({ removedApostrophes: count }: InputSummary): readonly string[] =>
  count === 0
    ? []
    : [
        `${countOf(count, 'CSV cell')} lost the apostrophe before = + - @, a tab or a line break, which an export of berth adds. --csv-raw keeps it.`,
      ];

/** Not-found (4) where there is no such endpoint. */
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
