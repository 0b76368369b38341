import { localFile, rethrowUnlessFailure } from '../../core/failure.ts';
import { stringAt, tryDecodeJson, type Json } from '../../core/json.ts';
import { OUTCOMES } from '../../cli/model/common-schemas.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { option } from '../../cli/model/params.ts';
import { outcomeResult, type Outcome } from '../../cli/resource/several/outcomes.ts';
import { countOf } from '../../cli/words/words.ts';
import { hasEnded, jobStatus } from '../../queue/job-status.ts';
import { readJobNow } from '../jobs/job/job-requests.ts';
import { ENDPOINTS } from '../shared/collections.ts';
import { webhookAddress } from '../shared/webhooks/webhook-address.ts';
import { failureOf, postResult } from '../shared/webhooks/deliver.ts';

/** `berth webhooks reconcile`: makes up for webhooks that never came. */
export const reconcile = defineCommand({
  summary: 'post the results of jobs that ended and whose webhook never came',
  changesMachine: true,
  output: OUTCOMES,
  details:
    'Reads the status of each job of which no webhook is kept on this machine; one that has ended is posted to --to as the service would: up to three times, 10 s apart, until the answer is 200. One that still runs is left alone. The service keeps a result for 30 minutes (run), so that a job may be gone: that is an error of its own (4).\nFILE is what `berth jobs recent` prints with -o jsonl or --json, or has a job id on each line, with --endpoint.',
  options: {
    jobs: option.requiredText('the jobs; - is stdin', { metavar: 'FILE', complete: 'file' }),
    to: option.requiredText('where to post', { metavar: 'URL' }),
    endpoint: option.text('the endpoint of jobs that the file gives only ids of', {
      metavar: 'ENDPOINT',
      complete: ENDPOINTS,
    }),
  },
  examples: [
    [
      'berth jobs recent -o jsonl | berth webhooks reconcile --jobs - --to http://127.0.0.1:3000/hook',
      'after an outage',
    ],
  ],
  run: async (ctx, values) => {
    const to = webhookAddress(values.to, '--to');
    const text = Buffer.from(await ctx.files.read(values.jobs)).toString('utf8');
    const jobs = jobsOf(text, values.jobs, values.endpoint);
    const webhooks = await ctx.webhooks();
    const came = new Set((await webhooks.list()).map(({ job }) => job));
    const missing = jobs.filter(({ id }) => !came.has(id));
    const outcomes: Outcome[] = [];
    let running = 0;
    for (const { id, endpoint } of missing) {
      const document = await readDocument(ctx, endpoint, id, outcomes);
      if (document === undefined) continue;
      if (!hasEnded(document.value)) running++;
      else {
        const { delivery } = await postResult(ctx, webhooks, to, document.text);
        outcomes.push({ id, status: jobStatus(document.value), failure: failureOf(delivery) });
      }
    }
    await ctx.tell(
      `${countOf(jobs.length, 'job')}: the webhooks of ${jobs.length - missing.length} came, ${running} have not ended.`,
    );
    return outcomeResult(ctx, 'job', outcomes, 'posted');
  },
});

/** The status of a job; where it could not be read, the failure becomes an outcome. */
async function readDocument(ctx: CommandContext, endpoint: string, id: string, outcomes: Outcome[]) {
  try {
    const { text, value = null } = (await readJobNow(ctx, endpoint, id)).answer;
    return { text, value };
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    outcomes.push({ id, failure: error });
    return undefined;
  }
}

interface NamedJob {
  readonly id: string;
  readonly endpoint: string;
}

/** The jobs of a file, each once. Fails with local-file (14) and the line for one that names no job or no endpoint. */
function jobsOf(text: string, file: string, endpoint: string | undefined): readonly NamedJob[] {
  const whole = tryDecodeJson(text);
  const items: readonly (readonly [Json, string])[] = Array.isArray(whole)
    ? whole.map((each: Json, at) => [each, `item ${String(at + 1)}`] as const)
    : text
        .split(/\r?\n/)
        .map((line, at) => [lineOf(line.trim()), `line ${String(at + 1)}`] as const)
        .filter(([each]) => each !== '');
  const found = items.map(([item, place]): NamedJob => {
    const isText = typeof item === 'string';
    const id = isText ? item : stringAt(item, 'id');
    if (id === undefined || id === '') throw localFile(`${file}, ${place}: there is no job id`);
    const named = isText ? endpoint : (stringAt(item, 'endpoint') ?? endpoint);
    if (named === undefined)
      throw localFile(`${file}, ${place}: the endpoint of job ${id} is not known`, 'Name it with --endpoint.');
    return { id, endpoint: named };
  });
  return [...new Map(found.map((each) => [each.id, each])).values()];
}

/** A line as JSON where it is an object or a quoted text; the id that it is otherwise. */
const lineOf = (line: string): Json => (/^[{"]/.test(line) ? (tryDecodeJson(line) ?? line) : line);
