import { defineCommand, endedWhen } from '../../cli/model/command.ts';
import { option } from '../../cli/model/params.ts';
import { eachSchema, readEach, READS_SEVERAL } from '../../cli/resource/several.ts';
import { hasEnded } from '../../queue/job.ts';
import { JOB_ARGUMENTS, jobsOf, readJob } from './job.ts';
import { exitOf, jobSchema, JOB_EXITS, jobView } from './job-view.ts';

export const status = defineCommand({
  output: () => eachSchema(jobSchema()),
  summary: "show a job's state and result, or those of several",
  details: READS_SEVERAL,
  examples: [[`berth jobs status demo "$(berth jobs run demo --input '{}')"`, 'of a job just submitted']],
  args: JOB_ARGUMENTS,
  options: {
    ttl: option.duration('also set how long the job and its result live from now', 's'),
    exitStatus: option.on('end with the outcome: 10 failed, 11 cancelled, 12 timed out'),
  },
  exits: JOB_EXITS,
  watch: endedWhen(hasEnded),
  run: async (ctx, { endpoint, job, ttl, exitStatus, ...rest }) => {
    const jobs = new Map((await jobsOf(ctx, endpoint, job)).map((each) => [each.job, each]));
    return await readEach(ctx, [...jobs.keys()], {
      view: jobView,
      read: async (id) => await readJob(ctx, jobs.get(id) ?? { endpoint, job: id }, ttl),
      outcome: (row) => ({ exit: exitStatus ? exitOf(row) : undefined }),
      watched: (rest as { readonly watch?: boolean }).watch === true,
    });
  },
});
