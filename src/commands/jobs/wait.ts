import { defineCommand, waitTimeoutOption } from '../../cli/model/command.ts';
import { OUTCOME } from '../../cli/model/common-schemas.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { either, manyOf } from '../../cli/model/output-schema.ts';
import { arg, option } from '../../cli/model/params.ts';
import { QUEUE_ARGUMENT } from '../../cli/resource/collections.ts';
import { combinedFailure, outcomeRow } from '../../cli/resource/several.ts';
import { isOutage, waitFor } from '../../cli/run/wait.ts';
import { countOf } from '../../cli/words.ts';
import { askForJob, exitOf, JOB, JOB_EXITS, jobView, readJobNow, waitLine } from './job.ts';
import { EXIT, worstExit } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { encodeJson, type Json, memberAt, stringOf } from '../../core/json.ts';
import { berth, type Message, sentence } from '../../core/message.ts';
import type { Absence } from '../../core/not-there-yet.ts';
import type { Result } from '../../output/view.ts';
import { hasEnded, jobStatus } from '../../queue/job-status.ts';

export const wait = defineCommand({
  output: either(JOB, manyOf(either(OUTCOME, JOB))),
  summary: 'wait until jobs end and print their results',
  waits: true,
  exits: JOB_EXITS,
  details:
    'The exit code is the outcome: 0 all completed, 10 failed, 11 cancelled, 12 timed out, 9 when the wait ends first. For several jobs it is the worst one, and a job that could not be read, or has not ended, has {"id","ok","error"} in place of its document. With -o jsonl each job is printed as it ends.',
  args: {
    endpoint: QUEUE_ARGUMENT,
    job: arg.ids('job ids', { complete: 'job' }),
  },
  options: {
    any: option.on('stop at the first job that ends'),
    waitTimeout: waitTimeoutOption('how long to wait'),
  },
  examples: [
    [`berth jobs wait demo "$(berth jobs run demo --input '{}')"`, 'wait for one job'],
    [
      `berth jobs wait demo "$(berth jobs run demo --input '{}')" "$(berth jobs run demo --input '{}')" --any --json`,
      'print the first that ends',
    ],
    [
      `berth jobs wait demo "$(berth jobs run demo --input '{}')" "$(berth jobs run demo --input '{}')" -o jsonl`,
      'print each as it ends, one JSON a line',
    ],
  ],
  run: async (ctx, values) => {
    const [only, ...others] = values.job;
    if (only !== undefined && others.length === 0)
      return await waitForJob(ctx, values.endpoint, only, values.waitTimeout);
    return await waitForJobs(ctx, values.endpoint, values.job, values.waitTimeout, values.any);
  },
});

export const cancelLine = (endpoint: string, job: string): Message =>
  sentence`To end the job: ${berth`jobs cancel ${endpoint} ${job}`}`;

/** `source` is its document as the service sent it. */
type EndedJob = Extract<Result, { kind: 'one' }> & { readonly source: string };

/** With the exit code of its outcome. `absence` is for a job submitted by this command. */
export async function waitForJob(
  ctx: CommandContext,
  endpoint: string,
  job: string,
  timeoutMs: number,
  absence?: Absence,
): Promise<EndedJob> {
  let text = '';
  const ask = askForJob(ctx, { endpoint, job }, timeoutMs, absence);
  const value = await waitFor<Json>(ctx, {
    what: `job ${job}`,
    poll: async () => {
      const read = await ask(() => readJobNow(ctx, endpoint, job));
      if (read === undefined) return NOT_THERE_YET;
      const { text: source, value = null } = read.answer;
      text = source;
      return value;
    },
    done: hasEnded,
    describe: statusAndProgress,
    timeoutMs,
    resumeCommand: waitLine(endpoint, job),
    stillRunning: () => cancelLine(endpoint, job),
    id: job,
    isFirst: absence === undefined,
  });
  return { kind: 'one', view: jobView, value, source: text, exit: exitOf(value) };
}

/** In given order (`-o jsonl`: as they end). Unread or late jobs have outcome rows; the worst exit code. */
async function waitForJobs(
  ctx: CommandContext,
  endpoint: string,
  jobs: readonly string[],
  timeoutMs: number,
  any: boolean,
): Promise<Result> {
  const rows = new Map<string, Json>();
  const failures = new Map<string, Failure>();
  /** Why the wait ended before the jobs did. */
  let end: Failure | undefined;
  const asks = new Map(jobs.map((job) => [job, askForJob(ctx, { endpoint, job }, timeoutMs)]));
  const stream = ctx.output.format === 'jsonl' ? ctx.rows(jobView) : undefined;
  const settle = async (job: string, row: Json): Promise<void> => {
    rows.set(job, row);
    await stream?.row(row);
  };
  const fail = async (job: string, failure: Failure): Promise<void> => {
    failures.set(job, failure);
    await settle(job, outcomeRow(ctx, { id: job, failure }));
  };
  const isDone = (): boolean => rows.size === jobs.length || (any && rows.size > failures.size);
  const poll = async (job: string): Promise<void> => {
    try {
      const read = await asks.get(job)?.(() => readJobNow(ctx, endpoint, job));
      if (read === undefined) return;
      const { answer } = read;
      if (hasEnded(answer.value)) await settle(job, answer.value ?? null);
    } catch (error) {
      if (!(error instanceof Failure) || isOutputFailure(error) || isOutage(error) || ctx.signal.aborted) throw error;
      await fail(job, error);
    }
  };
  try {
    await waitFor<number>(ctx, {
      what: countOf(jobs.length, 'job'),
      poll: async () => {
        for (const job of jobs) {
          if (!rows.has(job)) await poll(job);
          if (isDone()) break;
        }
        return rows.size;
      },
      done: isDone,
      describe: (count) => `${count} ended`,
      timeoutMs,
      resumeCommand: waitLine(endpoint, ...jobs),
      isFirst: true,
    });
  } catch (error) {
    if (!(error instanceof Failure) || isOutputFailure(error) || rows.size === 0) throw error;
    const left = jobs.filter((job) => !rows.has(job));
    end =
      error.code === 'wait-ended'
        ? error.with({ hint: sentence`Go on waiting: ${waitLine(endpoint, ...left)}` })
        : error;
    for (const job of left) await fail(job, end.with({ message: `job ${job} has not ended: ${end.message}`, id: job }));
  }
  await stream?.close();
  const values = jobs.flatMap((job) => rows.get(job) ?? []);
  const failure = end ?? combinedFailure(jobs.map((id) => ({ id, failure: failures.get(id) })));
  const exit = worstExit([...values.map(exitOf), ...[...failures.values()].map((each) => each.exit)]);
  const outcome = { exit, failure: failure?.with({ exit }) };
  return stream === undefined ? { kind: 'many', view: jobView, values, ...outcome } : { kind: 'nothing', ...outcome };
}

/** A row could not be printed: the command ends. */
const isOutputFailure = ({ exit, code }: Failure): boolean =>
  exit === EXIT.localFile || code === 'closed-pipe' || code === 'jq';

const NOT_THERE_YET: Json = { status: 'not there yet' };

/** Characters. */
const MAX_PROGRESS_LENGTH = 80;

/** Progress is the output of a running job. */
function statusAndProgress(job: Json): string {
  const progress = hasEnded(job) ? undefined : memberAt(job, 'output');
  if (progress === undefined) return jobStatus(job);
  const text = stringOf(progress) ?? encodeJson(progress);
  const shown = text.length > MAX_PROGRESS_LENGTH ? `${text.slice(0, MAX_PROGRESS_LENGTH)}…` : text;
  return `${jobStatus(job)} ${shown}`;
}
