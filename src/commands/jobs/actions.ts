import { berth, sentence } from '../../core/message.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isNotFound, rethrowUnlessFailure, unknownOutcome, usage } from '../../core/failure.ts';
import type { ApiAnswer } from '../../core/api.ts';
import type { Json } from '../../core/json.ts';
import type { Id } from '../../core/ids.ts';
import { defineCommand, endedWhen, waitOptions } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import {
  eachSchema,
  outcomeResult,
  readEach,
  READS_SEVERAL,
  sendEach,
  type Sent,
  SEVERAL,
} from '../../cli/resource/several.ts';
import { arg, option } from '../../cli/model/params.ts';
import { unlessUnread } from '../../cli/run/dry-run.ts';
import { countOf } from '../../cli/words.ts';
import { cancelRequest, retryRequest } from '../../queue/requests.ts';
import { canRetry, hasEnded, jobOutcome, jobStatus } from '../../queue/job-status.ts';
import { ENDPOINTS, QUEUE_ARGUMENT } from '../../cli/resource/collections.ts';
import {
  absenceOfRemembered,
  exitOf,
  JOB,
  JOB_EXITS,
  jobView,
  mayHaveExpired,
  readJob,
  rememberStatus,
  sendAboutJob,
  statusLine,
  waitLine,
} from './job.ts';
import { waitForJob } from './wait.ts';
import { answerResult } from '../../output/view.ts';
import { either } from '../../cli/model/output-schema.ts';
import { OUTCOMES } from '../../cli/model/common-schemas.ts';

export const status = defineCommand({
  output: eachSchema(JOB),
  summary: "show a job's state and result, or those of several",
  details: READS_SEVERAL,
  examples: [[`berth jobs status demo "$(berth jobs run demo --input '{}')"`, 'of a job just submitted']],
  args: { endpoint: QUEUE_ARGUMENT, job: arg.ids('job ids', { complete: 'job' }) },
  options: {
    ttl: option.duration('also set how long the job and its result live from now', 's'),
    exitStatus: option.on('end with the outcome: 0 completed or not ended, 10 failed, 11 cancelled, 12 timed out'),
  },
  exits: JOB_EXITS,
  watch: endedWhen(hasEnded),
  run: async (ctx, { endpoint, job, ttl, exitStatus, ...rest }) =>
    await readEach(ctx, job, {
      view: jobView,
      read: async (id) => (await readJob(ctx, endpoint, id, ttl)).answer,
      outcome: (row) => ({ exit: exitStatus ? exitOf(row) : undefined }),
      watched: (rest as { readonly watch?: boolean }).watch === true,
    }),
});

export const cancel = defineCommand({
  output: either(JOB, OUTCOMES),
  summary: 'cancel jobs, waiting or running',
  details: SEVERAL,
  examples: [
    [`berth jobs cancel demo "$(berth jobs run demo --input '{}')"`, 'one that was just submitted'],
    [
      `berth jobs cancel demo "$(berth jobs run demo --input '{}')" "$(berth jobs run demo --input '{}')" --yes --json`,
      'two of them: an outcome for each',
    ],
  ],
  args: { endpoint: QUEUE_ARGUMENT, job: arg.ids('job ids', { complete: 'job' }) },
  writes: true,
  destroys: false,
  // A dry run fails for a missing job; if jobs cannot be read, it shows only the requests.
  prepare: async (ctx, { endpoint, job }) => {
    const failures: (Failure | undefined)[] = [];
    const ended: string[] = [];
    let isUnread = false;
    for (const each of ctx.dryRun ? job : [])
      try {
        const read = await unlessUnread(ctx, () => readJob(ctx, endpoint, each));
        isUnread ||= read === undefined;
        if (hasEnded(read?.answer.value)) {
          await ctx.tell(`job ${each} is ${jobStatus(read?.answer.value)}: nothing would be cancelled.`);
          ended.push(each);
        }
        failures.push(undefined);
      } catch (error) {
        rethrowUnlessFailure(error, ctx);
        failures.push(error);
      }
    return { isUnread: isUnread || failures.some((each) => each !== undefined), failures, ended };
  },
  confirmWhen: ({ job }) => job.length > 1,
  confirm: async (_, { endpoint, job }, { isUnread, ended }) => {
    const cancelled = job.filter((each) => !ended.includes(each));
    return isUnread || cancelled.length === 0
      ? undefined
      : `This cancels ${countOf(cancelled.length, 'job')} on ${endpoint}, running ones included: ${cancelled.join(', ')}.`;
  },
  run: async (ctx, values, { failures }) => {
    const request = (id: Id<'endpoint'>, job: string) => ({
      ...cancelRequest(id, job),
      checkCommand: statusLine(id, job),
    });
    const [only, ...others] = values.job;
    if (only !== undefined && others.length === 0) {
      if (failures[0] !== undefined) throw failures[0];
      const { id, answer } = await sendAboutJob(ctx, values.endpoint, only, (known) => request(known, only));
      const ended = await confirmCancel(ctx, id, only, answer);
      return { ...answerResult(jobView, ended), notes: endedBefore(only, ended.value) };
    }
    const targets = values.job.map((job, at) => ({
      given: values.endpoint,
      label: job,
      failure: failures[at],
      absence: () => absenceOfRemembered(ctx, { endpoint: values.endpoint, job }),
      request: (id: Id<'endpoint'>) => request(id, job),
    }));
    const answered = await sendEach(ctx, ENDPOINTS, targets);
    for (const { id, answer } of answered) await rememberStatus(ctx, id, answer?.value);
    const sent = await Promise.all(answered.map((each) => unlessStillThere(ctx, each)));
    const notes = values.job.flatMap((job, at) => endedBefore(job, sent[at]?.answer?.value));
    return { ...outcomeResult(ctx, 'job', sent, 'cancelled'), notes };
  },
});

/** Only an ended status proves it (specification 4.5, detail 5). Else outcome-unknown (8): it may cost. */
async function confirmCancel(
  ctx: CommandContext,
  id: Id<'endpoint'>,
  job: string,
  answer: ApiAnswer,
): Promise<ApiAnswer> {
  if (hasEnded(answer.value)) return answer;
  const read = (await readJob(ctx, id, job)).answer;
  if (hasEnded(read.value)) return read;
  throw unknownOutcome(
    `the service accepted the cancellation of job ${job}, and it is ${jobStatus(read.value)}`,
    statusLine(id, job),
    job,
  );
}

async function unlessStillThere(ctx: CommandContext, sent: Sent<'endpoint'>): Promise<Sent<'endpoint'>> {
  if (sent.failure !== undefined) return sent;
  try {
    const answer = await confirmCancel(ctx, sent.known, sent.id, sent.answer);
    return { ...sent, answer, unchanged: hadEnded(answer.value) };
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    return { id: sent.id, name: sent.name, failure: error };
  }
}

/** A job that was cancelled twice cannot be told. */
const hadEnded = (document: Json | undefined): boolean => hasEnded(document) && jobOutcome(document) !== 'cancelled';

const endedBefore = (job: string, document: Json | undefined): readonly string[] =>
  hadEnded(document) ? [`job ${job} had ended before: it is ${jobStatus(document)}, and nothing was cancelled.`] : [];

export const retry = defineCommand({
  output: JOB,
  summary: 'run a failed or timed-out job again, under the same id',
  examples: [[`berth jobs retry fail "$(berth jobs run fail --input '{}' --wait -o id)"`, 'one that has failed']],
  details:
    'Only FAILED and TIMED_OUT jobs can be retried, and only while their result is kept (30 minutes for run, 1 to 5 for runsync). The original input is used again; the previous output is removed.',
  args: { endpoint: QUEUE_ARGUMENT, job: arg.text('job id', { complete: 'job' }) },
  options: waitOptions('wait until it ends and print its result'),
  writes: true,
  exits: JOB_EXITS,
  costs: true,
  run: async (ctx, values) => {
    const { id, answer } = await retryJob(ctx, values.endpoint, values.job).catch((error: unknown) =>
      explainNotRetryable(ctx, values.endpoint, values.job, error),
    );
    if (values.wait) {
      await ctx.tell(`retrying ${values.job}`);
      return await waitForJob(ctx, id, values.job, values.waitTimeout);
    }
    const notes = ctx.terminal.errors ? [sentence`Wait for it: ${waitLine(id, values.job)}`] : [];
    return { ...answerResult(jobView, answer), notes };
  },
});

async function retryJob(ctx: CommandContext, endpoint: string, job: string) {
  await mustBeRetryable(ctx, endpoint, job);
  return await sendAboutJob(ctx, endpoint, job, (id) => ({
    ...retryRequest(id, job),
    checkCommand: statusLine(id, job),
  }));
}

/** Usage (2) if the status forbids a retry. If it cannot be read, the service decides. */
async function mustBeRetryable(ctx: CommandContext, endpoint: string, job: string): Promise<void> {
  let found: { readonly id: Id<'endpoint'>; readonly answer: ApiAnswer };
  try {
    found = await readJob(ctx, endpoint, job);
  } catch (error) {
    if (error instanceof Failure && error.exit !== EXIT.notFound && !ctx.signal.aborted) return;
    throw error;
  }
  const endpointId = found.id;
  const document = found.answer.value;
  const status = jobStatus(document);
  if (canRetry(document) || status === '?') return;
  throw usage(
    `job ${job} is ${status}; only FAILED and TIMED_OUT jobs can be retried`,
    hasEnded(document)
      ? sentence`Submit its input again with: ${berth`jobs run ${endpointId} --input @FILE`}`
      : sentence`Wait for it first: ${waitLine(endpointId, job)}`,
  ).with({ id: job });
}

/** Rethrows; explains a 404 of a job that can have expired. */
async function explainNotRetryable(ctx: CommandContext, endpoint: string, job: string, error: unknown): Promise<never> {
  if (!isNotFound(error) || !(await mayHaveExpired(ctx, { endpoint, job }))) throw error;
  throw error.with({
    id: job,
    message: `job ${job} is not there: it never was, or its result has expired, and an expired job cannot be retried`,
    hint: sentence`Submit its input again with: ${berth`jobs run ${endpoint} --input @FILE`}`,
  });
}
