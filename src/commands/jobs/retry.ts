import { defineCommand, waitOptions } from '../../cli/model/command.ts';
import { report } from '../../cli/resource/targets.ts';
import { retryRequest } from '../../queue/requests.ts';
import { jobsOf, ONE_JOB_ARGUMENTS, sendAboutJob, statusLine } from './job.ts';
import { jobSchema, JOB_EXITS, jobView } from './job-view.ts';
import { waitForJobs } from './wait.ts';

export const retry = defineCommand({
  output: jobSchema,
  summary: 'run a failed or timed-out job again, under the same id',
  examples: [[`berth jobs retry fail "$(berth jobs run fail --input '{}' --wait -o id)"`, 'one that has failed']],
  details:
    'Only FAILED and TIMED_OUT jobs can be retried, while their result is kept (30 minutes for run, 1 to 5 for runsync).\nThe original input is used again; the previous output is removed.',
  args: ONE_JOB_ARGUMENTS,
  options: waitOptions('wait until it ends and print its result'),
  writes: true,
  exits: JOB_EXITS,
  costs: true,
  run: async (ctx, values) => {
    const [named] = await jobsOf(ctx, values.endpoint, values.job === undefined ? [] : [values.job]);
    const { job } = named;
    const answer = await sendAboutJob(ctx, named, (id) => ({
      ...retryRequest(id, job),
      checkCommand: statusLine(id, job),
    }));
    if (!values.wait)
      return report(ctx, { noun: 'job', view: jobView }, { isSelected: false }, [{ id: job, answer }], 'retried');
    await ctx.tell(`retried job ${job}`);
    return await waitForJobs(ctx, [named], values.waitTimeout);
  },
});
