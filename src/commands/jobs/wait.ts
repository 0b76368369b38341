import { encodeJson, memberAt, stringOf, type Json } from '../../core/json.ts';
import { Failure } from '../../core/failure.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { defineCommand } from '../../cli/command.ts';
import type { CommandContext } from '../../cli/context.ts';
import { sendTo } from '../../cli/resource/identity/identify.ts';
import { arg, option } from '../../cli/parse/params.ts';
import { waitFor } from '../../cli/run/wait.ts';
import type { Result } from '../../output/view.ts';
import { statusRequest } from '../../queue/requests.ts';
import { hasEnded, jobStatus } from '../../queue/status.ts';
import { ENDPOINTS } from '../shared/collections.ts';
import { waitLine } from './command-lines.ts';
import { exitOf, exitOfAll } from './outcome.ts';
import { createStallNotice } from './stall-notice.ts';
import { jobView } from './view.ts';

export const wait = defineCommand({
  summary: 'wait until jobs end and print their results',
  details:
    'When jobs stand still for 15 seconds, it says once on stderr why. The exit code is the outcome: 0 all completed; else that of the first job, in the order given, that did not (10 failed, 11 cancelled, 12 timed out); 9 when the wait ends first.',
  args: { endpoint: arg.text('endpoint id, name or model slug'), job: arg.ids('job ids') },
  options: {
    any: option.on('stop at the first job that ends'),
    waitTimeout: option.durationOr('how long to wait', 's', 600_000, '10m'),
  },
  examples: [
    ['berth jobs wait demo JOB', 'wait for one job'],
    ['berth jobs wait demo JOB1 JOB2 --any --json', 'print the first that ends'],
  ],
  run: async (ctx, values) => {
    const [only, ...others] = values.job;
    if (only !== undefined && others.length === 0)
      return await waitForJob(ctx, values.endpoint, only, values.waitTimeout);
    return await waitForJobs(ctx, values.endpoint, values.job, values.waitTimeout, values.any);
  },
});

/** Polls one job until it ends. Returns its document, with the exit code of its outcome. */
export async function waitForJob(
  ctx: CommandContext,
  endpoint: string,
  job: string,
  timeoutMs: number,
): Promise<Result> {
  let text = '';
  const stall = createStallNotice(ctx, endpoint);
  const value = await waitFor<Json>(ctx, {
    what: `job ${job}`,
    poll: async () => {
      const { answer } = await sendTo(ctx, ENDPOINTS, endpoint, (id) => statusRequest(id, job)).catch(
        explainExpired(job),
      );
      text = answer.text;
      stall.saw(job, answer.value ?? null);
      return answer.value ?? null;
    },
    done: hasEnded,
    describe: statusAndProgress,
    notice: stall.lines,
    timeoutMs,
    resumeCommand: waitLine(endpoint, job),
    id: job,
  });
  return { kind: 'one', view: jobView, value, source: text, exit: exitOf(value) };
}

async function waitForJobs(
  ctx: CommandContext,
  endpoint: string,
  jobs: readonly string[],
  timeoutMs: number,
  any: boolean,
): Promise<Result> {
  const ended = new Map<string, Json>();
  const stall = createStallNotice(ctx, endpoint);
  await waitFor<number>(ctx, {
    what: `${String(jobs.length)} jobs`,
    poll: async () => {
      for (const job of jobs) {
        if (ended.has(job)) continue;
        const { answer } = await sendTo(ctx, ENDPOINTS, endpoint, (id) => statusRequest(id, job)).catch(
          explainExpired(job),
        );
        stall.saw(job, answer.value ?? null);
        if (hasEnded(answer.value)) ended.set(job, answer.value ?? null);
        if (any && ended.size > 0) break;
      }
      return ended.size;
    },
    done: (count) => count === jobs.length || (any && count > 0),
    describe: (count) => `${String(count)} ended`,
    notice: stall.lines,
    timeoutMs,
    resumeCommand: waitLine(endpoint, ...jobs),
  });
  const values = jobs.flatMap((job) => ended.get(job) ?? []);
  return { kind: 'many', view: jobView, values, exit: exitOfAll(values) };
}

/** How much of the progress of a running job is shown while it is waited for. Characters. */
const MAX_PROGRESS_LENGTH = 80;

/** The status, and what the job has reported as its progress: the output of a job that runs. */
function statusAndProgress(job: Json): string {
  const progress = hasEnded(job) ? undefined : memberAt(job, 'output');
  if (progress === undefined) return jobStatus(job);
  const text = stringOf(progress) ?? encodeJson(progress);
  const shown = text.length > MAX_PROGRESS_LENGTH ? `${text.slice(0, MAX_PROGRESS_LENGTH)}…` : text;
  return `${jobStatus(job)} ${shown}`;
}

/** Rethrows; a 404 of a job says that the result may have expired (specification 8.2). */
export const explainExpired =
  (job: string) =>
  (error: unknown): never => {
    if (error instanceof Failure && error.exit === EXIT.notFound)
      throw error.with({
        id: job,
        hint: 'Either the endpoint or the job id is wrong, or the result has expired: results are kept for 30 minutes after completion (run), 1 to 5 minutes (runsync).',
      });
    throw error;
  };
