import { defineCommand, waitTimeoutOption } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { either, manyOf } from '../../cli/model/output-schema.ts';
import { onlyWith, option } from '../../cli/model/params.ts';
import { queueArgument } from '../../cli/resource/arguments.ts';
import { ENDPOINTS } from '../../cli/resource/collections.ts';
import { checkedJsonText, type RawInput, readInputBytes } from './input.ts';
import { policyOptions } from '../batch/options.ts';
import { healthLine, withQueue } from './job.ts';
import { chunkSchema, exitOf, jobSchema, JOB_EXITS, jobView } from './job-view.ts';
import { streamJob } from './stream.ts';
import { waitForJobs } from './wait.ts';
import { usage } from '../../core/failure.ts';
import { decodeJson, memberSource } from '../../core/json.ts';
import { say } from '../../core/safe-text.ts';
import { formatBytes } from '../../core/units.ts';
import { answerResult, asksForData } from '../../output/view.ts';
import { hasEnded, jobIdOf, jobStatus, unusableJobId } from '../../queue/job.ts';
import { certainMs, DEFAULT_SYNC_WAIT_MS, DURATION_BOUNDS, PAYLOAD_LIMITS } from '../../queue/limits.ts';
import {
  isSubmission,
  type JobOptions,
  optionsText,
  runRequest,
  runSyncRequest,
  submissionBody,
} from '../../queue/requests.ts';

/** Input byte for byte, without BOM and outer space. Usage (2): not UTF-8, not JSON, over the limit. */
function jobBody(
  given: RawInput,
  values: JobOptions & { readonly inputField: string | undefined; readonly asIs: boolean },
  operation: keyof typeof PAYLOAD_LIMITS,
): Uint8Array {
  const text = checkedJsonText(given);
  const input = values.inputField === undefined ? text : memberSource(text, values.inputField);
  if (input === undefined) throw usage(`${given.from} has no member ${JSON.stringify(values.inputField)}`);
  if (values.inputField === undefined && !values.asIs && isSubmission(decodeJson(text)))
    throw usage(
      `${given.from} is a whole submission, "input" and what is sent beside it`,
      'Use --input-field input to send its input, or --as-is to send all of it as the input.',
    );
  const body = submissionBody(new TextEncoder().encode(input), optionsText(values));
  const limit = PAYLOAD_LIMITS[operation];
  if (body.length > limit)
    throw usage(
      `the payload is ${formatBytes(body.length)} (${body.length} bytes); ${operation} takes at most ${formatBytes(limit)} (${limit} bytes)`,
      'Pass a link to the data in place of the data; --sync takes up to 20 MB.',
    );
  return body;
}

export const run = defineCommand({
  output: () => either(jobSchema(), manyOf(chunkSchema())),
  summary: 'submit a job and print its id, or wait for its result',
  details:
    'The input is sent byte for byte. A model slug works in place of an endpoint id.\nExit codes with --wait, --stream or --sync: 0 completed, 10 failed, 11 cancelled, 12 timed out, 9 the wait ended first.',
  args: { endpoint: queueArgument() },
  options: {
    input: option.text('the input as JSON, @FILE, or - for stdin', {
      metavar: 'JSON',
      complete: '@file',
    }),
    inputField: option.text('member of the JSON that is the input (default: all of it)', { metavar: 'NAME' }),
    asIs: option.on('send JSON that has input, policy or webhook as it is'),
    wait: option.on('poll until the job ends and print its result'),
    stream: option.on('print chunks as the handler produces them'),
    sync: option.on('submit with runsync: the answer carries the result'),
    syncWait: onlyWith(
      ['sync'],
      option.duration(
        'how long runsync holds the answer back, 1s to 300s (default 90s)',
        's',
        DURATION_BOUNDS.syncWait,
      ),
    ),
    waitTimeout: onlyWith(
      ['wait', 'stream', 'sync'],
      waitTimeoutOption('how long --wait, --stream and --sync wait in all'),
    ),
    webhook: option.text('address the result is posted to', { metavar: 'URL' }),
    ...policyOptions,
  },
  needed: ['input'],
  writes: true,
  exits: JOB_EXITS,
  costs: true,
  examples: [
    [`berth jobs run demo --input '{"prompt":"hello"}'`, 'submit and print the id'],
    ['berth jobs run demo --input @input.json --wait --json', 'the result as JSON, numbers exact'],
    [`berth jobs run stream --input '{"chunks":3}' --stream`, 'print chunks as they come'],
  ],
  run: async (ctx, values) => {
    if ([values.wait, values.stream, values.sync].filter(Boolean).length > 1)
      throw usage('--wait, --stream and --sync exclude each other', 'Keep one of them.');
    const given = await readInput(ctx, values.input);
    const body = { raw: jobBody(given, values, values.sync ? 'runsync' : 'run') };
    const waitMs = Math.min(values.syncWait ?? DEFAULT_SYNC_WAIT_MS, Math.max(1000, values.waitTimeout));
    const syncDeadlineMs = waitMs + ctx.settings.get('timeout');
    const answer = await withQueue(ctx, values.endpoint, (id) => {
      const checkCommand = healthLine(id);
      return ctx.api.send(
        values.sync
          ? { ...runSyncRequest(id, waitMs), body, checkCommand, deadlineMs: syncDeadlineMs }
          : { ...runRequest(id), body, checkCommand },
      );
    });
    const endpoint = ctx.ids.get(ENDPOINTS, values.endpoint) ?? values.endpoint;
    const document = answer.value ?? null;
    const job = jobIdOf(document);
    if (job !== undefined)
      await ctx.jobs.add({
        id: job,
        endpoint,
        named: values.endpoint,
        at: ctx.serviceNow(),
        certainMs: certainMs({ ttlMs: values.ttl, sync: values.sync }),
        executionTimeoutMs: values.executionTimeout,
        ttlMs: values.ttl,
        status: jobStatus(document),
      });
    if (values.sync && hasEnded(document)) return { ...answerResult(jobView, answer), exit: exitOf(document) };
    // Outcome-unknown (8).
    if (job === undefined) throw unusableJobId(document);
    if (values.stream || values.wait || values.sync) await ctx.tell(`submitted job ${job}`);
    if (values.stream) return await streamJob(ctx, { endpoint, job }, values.waitTimeout);
    if (values.wait || values.sync) return await waitForJobs(ctx, [{ endpoint, job }], values.waitTimeout);
    if (asksForData(ctx.output)) return answerResult(jobView, answer);
    const notes = ctx.settings.get('quiet') ? [] : [`submitted job ${job}`];
    return ctx.terminal.output ? { kind: 'nothing', notes } : { kind: 'text', text: say`${job}\n`, notes };
  },
});

/** Fails with usage (2) without one, and with local-file (14). */
async function readInput({ terminal, prompts, files }: CommandContext, given: string | undefined): Promise<RawInput> {
  const input = given ?? (terminal.canAsk ? await prompts.text('Input (JSON)', { initial: '{}' }) : undefined);
  if (input === undefined)
    throw usage('missing --input', `--input '{"prompt":"hello"}', --input @FILE, or --input - for stdin`);
  return await readInputBytes(files, input);
}
