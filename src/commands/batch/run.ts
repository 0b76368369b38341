import type { InputSummary } from '../../batch/index.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { either } from '../../cli/model/output-schema.ts';
import { arg, option, required, type ValuesOf } from '../../cli/model/params.ts';
import { ENDPOINTS } from '../../cli/resource/collections.ts';
import { withId } from '../../cli/resource/targets.ts';
import { unlessUnread } from '../../cli/run/dry-run.ts';
import { countOf } from '../../cli/words.ts';
import { failedOkOption, settingOptions, settingsOf } from './options.ts';
import { BATCH_END, BATCH_PLAN, RUN_EXITS } from './schemas.ts';
import { asId } from '../../core/ids.ts';
import type { Json } from '../../core/json.ts';
import type { Result } from '../../output/view.ts';
import { healthRequest, optionsText, runRequest, submissionBody } from '../../queue/requests.ts';

const runOptions = {
  input: required(
    option.texts('JSON lines or CSV, .gz too; repeatable; a glob; - is stdin', { metavar: 'FILE', complete: 'file' }),
  ),
  out: required(option.text('file for the results, with a journal beside it', { metavar: 'FILE', complete: 'file' })),
  inputFormat: option.choice('format of the input (default: by its name, else jsonl)', ['jsonl', 'csv']),
  inputField: option.text('member or column that holds the input (default: the line)', { metavar: 'NAME' }),
  idField: option.text('member or column that labels the item in the results', { metavar: 'NAME' }),
  asIs: option.on('send lines that have input, policy or webhook as they are'),
  skipInvalid: option.on('leave out invalid items instead of refusing all'),
  ordered: option.on('sort the results in the order of the input at the end'),
  fresh: option.on('refuse to go on with a batch at --out'),
  shard: option.text('only every N-th item, of N processes this is the I-th', { metavar: 'I/N' }),
  failedOk: failedOkOption,
  ...settingOptions,
};

type RunValues = ValuesOf<typeof runOptions> & { readonly endpoint: string };

export const run = defineCommand({
  output: () => either(BATCH_END, BATCH_PLAN),
  summary: 'submit a job for each line of a file and fetch all results',
  changesMachine: true,
  needs: 'write',
  details:
    'A line of JSON is a job, sent byte for byte; a CSV row is an object of its columns. The whole input is checked first. Ends 0 if all completed, 13 if some did not, 9 after --max-time. Run again, it goes on where it stopped.',
  args: { endpoint: arg.text('endpoint id, name or model slug', { complete: ENDPOINTS }) },
  options: runOptions,
  writes: true,
  costs: true,
  waits: true,
  notifies: true,
  exits: RUN_EXITS,
  examples: [
    ['berth jobs batch run demo --input items.jsonl --out results.jsonl', 'a job for each line'],
    ['berth jobs batch run demo --input items.csv --id-field sku --out priced.jsonl', 'rows of a CSV file'],
    ['berth jobs batch resume results.jsonl', 'continue after any interruption'],
  ],
  run: async (ctx, values) => {
    const settings = settingsOf(values);
    const [{ beginBatch, checkBatch, parseShard }, { batchPorts, serviceAddress }, { viewOf }, { batchResult }] =
      await Promise.all([
        import('../../batch/index.ts'),
        import('./ports.ts'),
        import('./progress.ts'),
        import('./end.ts'),
      ]);
    const ports = await batchPorts(ctx);
    const given = values.shard ?? ctx.env['BERTH_SHARD'];
    const from = values.shard === undefined ? 'BERTH_SHARD' : '--shard';
    const shard = given === undefined ? undefined : parseShard(given, from);
    const options = { ...values, inputs: values.input, format: values.inputFormat, settings, shard };
    if (ctx.dryRun) return await dryRunResult(ctx, values, await checkBatch(ports, options));
    const connect = async () => ({
      endpointId: await endpointId(ctx, values.endpoint),
      service: await serviceAddress(ctx),
    });
    const view = viewOf(ctx, async (summary) => {
      for (const line of await describeSkipped(values.input.join(' '), summary)) await ctx.tell(line);
    });
    const ended = await beginBatch(ports, options, { endpoint: values.endpoint, connect }, view);
    return batchResult(ctx, ended, values);
  },
});

/** Its health is read: a wrong endpoint or key is found before the first job. */
const endpointId = (ctx: CommandContext, word: string) =>
  withId(ctx, ENDPOINTS, word, async (id) => {
    await ctx.api.send(healthRequest(id));
    return id;
  });

const MAX_NAMED = 10;

async function describeSkipped(path: string, { invalid, invalidItems }: InputSummary): Promise<readonly string[]> {
  if (invalid === 0) return [];
  const { describeInvalid } = await import('../../batch/index.ts');
  const named = invalidItems.slice(0, MAX_NAMED).map((item) => describeInvalid(path, item));
  const more = invalid > named.length ? [`and ${invalid - named.length} more`] : [];
  return [`skipped ${countOf(invalid, 'invalid item')}`, ...named, ...more];
}

/** Not-found (4) where there is no such endpoint. */
async function dryRunResult(ctx: CommandContext, values: RunValues, summary: InputSummary): Promise<Result> {
  const { dryRunView } = await import('./summary-view.ts');
  const input = values.input.join(' ');
  const body = { raw: submissionBody(summary.first?.input ?? new Uint8Array(0), optionsText(values)) };
  const found = await unlessUnread(ctx, () => endpointId(ctx, values.endpoint));
  const first = await ctx.api.preview({ ...runRequest(found ?? asId(values.endpoint)), body });
  const { planned, invalid, bytes: inputBytes, bodyBytes, largestBody } = summary;
  const value: Json = {
    input,
    planned,
    invalid,
    inputBytes,
    bodyBytes,
    largestBody,
    first: { method: first.method, url: first.url, headers: { ...first.headers }, body: first.body ?? null },
  };
  return { kind: 'one', view: dryRunView, value, notes: await describeSkipped(input, summary) };
}
