import {
  beginBatch,
  canDo,
  checkBatch,
  refuse,
  type BeginOptions,
  describeInvalid,
  type InputSummary,
  workLine,
} from '../../../batch/index.ts';
import { DURATION_BOUNDS } from '../../../queue/limits.ts';
import { healthRequest, runRequest } from '../../../queue/requests.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { unlessUnread } from '../../../cli/run/context/dry-run.ts';
import { sendTo } from '../../../cli/resource/identity/identify.ts';
import { sentence } from '../../../core/message.ts';
import type { Result } from '../../../output/view.ts';
import { ENDPOINTS } from '../../shared/collections.ts';
import { checkBounds } from '../duration-bounds.ts';
import type { RunValues } from './options/flags.ts';
import { viewOf } from './view/progress.ts';
import { batchResult } from './view/notes.ts';
import { maxTimeOf, withDeadline } from './options/max-time.ts';
import { kindOf, leaseOf, serviceAddress, withStore } from './store/store.ts';
import { asId } from '../../../core/ids.ts';
import type { Json } from '../../../core/json.ts';
import { optionsText, submissionBody } from '../../../queue/submission.ts';
import { countOf } from '../../../cli/words/words.ts';
import { dryRunView } from './view/summary-view.ts';

/** Items that a driver claims at a time: few enough rows for millions, and each takes a driver a few seconds at least. */
const SHARD_ITEMS = 10_000;

/**
 * Begins a batch and runs it to its end. Fails with usage (2) before anything is sent, with local-file (14) when there is
 * a batch or results already, and as the health request of the endpoint does.
 */
export async function runBatch(outer: CommandContext, given: RunValues): Promise<Result> {
  const maxTime = await maxTimeOf(outer, given);
  const [ctx, values] = [withDeadline(outer, maxTime), { ...given, maxTime }];
  checkBounds('--execution-timeout', values.executionTimeout, DURATION_BOUNDS.executionTimeout);
  checkBounds('--ttl', values.ttl, DURATION_BOUNDS.ttl);
  const kind = kindOf(ctx, values);
  if (values.ordered) refuse(kind, 'ordering', '--ordered');
  const { name, lease, compress, shardItems } = values;
  for (const [option, value] of Object.entries({ name, lease, compress, 'shard-items': shardItems }))
    if (value !== undefined) refuse(kind, 'sharing', `--${option}`);
  const leaseMs = leaseOf(values);
  return await withStore(
    ctx,
    values,
    { access: ctx.dryRun ? undefined : 'create', leaseMs },
    async ({ store, ports }) => {
      const isShared = canDo(kind, 'sharing');
      const options: BeginOptions = {
        ...values,
        name: isShared ? (name ?? defaultName(ctx, values.endpoint)) : undefined,
        inputs: values.input,
        format: values.inputFormat,
        csvRaw: ctx.output.csvRaw,
        jobOptions: values,
        itemsPerRange: isShared ? (shardItems ?? SHARD_ITEMS) : Number.POSITIVE_INFINITY,
        compression: compress ?? 'none',
      };
      if (ctx.dryRun) return await dryRunResult(ctx, values, await checkBatch(ports, store, options));
      const run = { endpoint: values.endpoint, limits: values, leaseMs, connect: () => connect(ctx, values.endpoint) };
      const view = viewOf(ctx, async (begun, summary, copy) => {
        if (copy !== undefined) await ctx.tell(`The input was copied to ${copy}, where every driver reads it.`);
        const leftOut = describeSkipped(nameOfInputs(values), summary);
        for (const line of [...leftOut, ...describeApostrophes(summary)]) await ctx.tell(line);
        if (isShared)
          await ctx.tell(sentence`Batch ${begun}. On any other machine: ${workLine(ports.reference(begun))}`);
      });
      return batchResult(ctx, await beginBatch(ports, store, options, run, view), values);
    },
  );
}

/** A wrong endpoint or key is detected before the first job. */
async function connect(ctx: CommandContext, endpoint: string) {
  const { id: endpointId } = await sendTo(ctx, ENDPOINTS, endpoint, healthRequest);
  return { endpointId, service: await serviceAddress(ctx) };
}

/** The endpoint and the time in seconds: `demo-20260131-080559`. */
function defaultName(ctx: CommandContext, endpoint: string): string {
  // eslint-disable-next-line no-restricted-syntax -- a date
  const time = new Date(ctx.clock.now()).toISOString().replace(/\D/g, '');
  return `${endpoint.replace(/[^\w.-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '')}-${time.slice(0, 8)}-${time.slice(8, 14)}`;
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
