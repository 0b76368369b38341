import { defineCommand, waitTimeoutOption } from '../../cli/model/command.ts';
import { either, manyOf, outcomeSchema } from '../../cli/model/output-schema.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { option } from '../../cli/model/params.ts';
import { combinedFailure, outcomeRow } from '../../cli/resource/several.ts';
import { type Awaited, type Goal, until } from '../../cli/until.ts';
import { worstExit } from '../../core/exit-codes.ts';
import { encodeJson, type Json, memberAt, stringOf } from '../../core/json.ts';
import { berth, type CommandLine } from '../../core/message.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { answerResult, type Result } from '../../output/view.ts';
import { hasEnded, jobStatus } from '../../queue/job.ts';
import { JOB_ARGUMENTS, jobsOf, type NamedJob, readJob, waitLine } from './job.ts';
import { exitOf, jobSchema, JOB_EXITS, jobView } from './job-view.ts';

export const wait = defineCommand({
  output: () => either(jobSchema(), manyOf(either(outcomeSchema(), jobSchema()))),
  summary: 'wait until jobs end and print their results',
  waits: true,
  exits: JOB_EXITS,
  details:
    'Exit codes: 0 completed, 10 failed, 11 cancelled, 12 timed out, 9 the wait ended first; of several jobs the worst. Of several, one without a result is {"id","ok","error"}; -o jsonl prints each as it ends.',
  args: JOB_ARGUMENTS,
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
  ],
  run: async (ctx, { endpoint, job, any, waitTimeout }) =>
    await waitForJobs(ctx, await jobsOf(ctx, endpoint, job), waitTimeout, { any, isFirst: true }),
});

/** One gives its document and the exit code of its outcome; several a row each, and the worst exit code. */
export async function waitForJobs(
  ctx: CommandContext,
  jobs: readonly NamedJob[],
  timeoutMs: Milliseconds,
  { any = false, isFirst = false } = {},
): Promise<Result> {
  const stream = jobs.length > 1 && ctx.output.format === 'jsonl' ? ctx.rows(jobView) : undefined;
  const watched = jobs.map((each) => ({
    id: each.job,
    isFirst,
    read: async () => {
      const answer = await readJob(ctx, each);
      if (hasEnded(answer.value)) await stream?.row(answer.value ?? null);
      return answer;
    },
  }));
  const goal: Goal = {
    noun: 'job',
    name: 'COMPLETED',
    done: hasEnded,
    describe: statusAndProgress,
    resume: (ids) => (any ? resumeOf(jobs, '--any') : resumeOf(jobs.filter(({ job }) => ids.includes(job)))),
  };
  const ends = await until(ctx, any ? [firstOf(watched)] : watched, goal, timeoutMs);
  const [only] = ends;
  if (only?.failure !== undefined && ends.length === 1) throw only.failure;
  if (only?.answer !== undefined && jobs.length === 1)
    return { ...answerResult(jobView, only.answer), exit: exitOf(only.answer.value) };
  const values = ends.map((end) => (end.failure === undefined ? (end.answer?.value ?? null) : outcomeRow(ctx, end)));
  for (const [at, { failure }] of ends.entries()) if (failure !== undefined) await stream?.row(values[at] ?? null);
  await stream?.close();
  const exit = worstExit(ends.map(({ answer, failure }) => failure?.exit ?? exitOf(answer?.value)));
  const outcome = { exit, failure: combinedFailure(ends)?.with({ exit }) };
  return stream === undefined ? { kind: 'many', view: jobView, values, ...outcome } : { kind: 'nothing', ...outcome };
}

/** Several jobs as one thing, which ends with the first of them; one that cannot be read does not end it. */
const firstOf = (watched: readonly Awaited[]): Awaited => ({
  id: watched.map(({ id }) => id).join(', '),
  isFirst: watched.some(({ isFirst }) => isFirst === true),
  read: async () => {
    const read = await Promise.allSettled(watched.map((each) => each.read()));
    const answers = read.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const failed = read.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    const answer = answers.find(({ value }) => hasEnded(value)) ?? answers[0];
    if (answer === undefined) throw failed[0];
    return answer;
  },
});

/** By their ids alone where they are of several endpoints: this machine submitted them. */
const resumeOf = (jobs: readonly NamedJob[], ...flags: readonly string[]): CommandLine => {
  const ids = [...jobs.map(({ job }) => job), ...flags];
  const [endpoint, ...others] = new Set(jobs.map((each) => each.endpoint));
  return endpoint === undefined || others.length > 0 ? berth`jobs wait ${ids}` : waitLine(endpoint, ...ids);
};

const MAX_PROGRESS_LENGTH = 80;

/** Progress is the output of a running job. */
function statusAndProgress(job: Json): string {
  const progress = hasEnded(job) ? undefined : memberAt(job, 'output');
  if (progress === undefined) return jobStatus(job);
  const text = stringOf(progress) ?? encodeJson(progress);
  return `${jobStatus(job)} ${text.length > MAX_PROGRESS_LENGTH ? `${text.slice(0, MAX_PROGRESS_LENGTH)}…` : text}`;
}
