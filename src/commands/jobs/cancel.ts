import { defineCommand, yesOption } from '../../cli/model/command.ts';
import { either, outcomesSchema } from '../../cli/model/output-schema.ts';
import { SEVERAL } from '../../cli/resource/several.ts';
import { eachOf, report } from '../../cli/resource/targets.ts';
import { ask, requireYes } from '../../cli/ask.ts';
import { countOf } from '../../cli/words.ts';
import { unknownOutcome } from '../../core/failure.ts';
import type { Id } from '../../core/ids.ts';
import { hasEnded, jobOutcome, jobStatus } from '../../queue/job.ts';
import { cancelRequest } from '../../queue/requests.ts';
import { JOB_ARGUMENTS, jobsOf, type NamedJob, sendAboutJob, statusLine } from './job.ts';
import { jobSchema, jobView } from './job-view.ts';

export const cancel = defineCommand({
  output: () => either(jobSchema(), outcomesSchema()),
  summary: 'cancel jobs, waiting or running',
  details: SEVERAL,
  examples: [[`berth jobs cancel demo "$(berth jobs run demo --input '{}')"`, 'one that was just submitted']],
  args: JOB_ARGUMENTS,
  options: { yes: yesOption },
  writes: true,
  destroys: false,
  run: async (ctx, { endpoint, job }) => {
    const jobs = await jobsOf(ctx, endpoint, job);
    if (jobs.length > 1) {
      requireYes(ctx);
      const ids = jobs.map((each) => each.job).join(', ');
      await ask(ctx, { line: `${countOf(jobs.length, 'job')} will be cancelled, running ones included: ${ids}` });
    }
    const shownOf = (each: NamedJob) => ({ id: each.job });
    const outcomes = await eachOf(ctx, jobs, shownOf, async (named) => {
      const request = (id: Id<'endpoint'>) => ({
        ...cancelRequest(id, named.job),
        checkCommand: statusLine(id, named.job),
      });
      const answer = await sendAboutJob(ctx, named, request);
      const status = jobStatus(answer.value);
      // Only an ended status proves it (specification 4.5, detail 5): a job that runs may cost.
      if (!hasEnded(answer.value))
        throw unknownOutcome(
          `job ${named.job} is ${status} after its cancellation was accepted`,
          statusLine(named.endpoint, named.job),
          named.job,
        );
      const unchanged = jobOutcome(answer.value) !== 'cancelled' || hasEnded({ status: named.status ?? null });
      return { id: named.job, status, unchanged, answer };
    });
    const result = report(ctx, { noun: 'job', view: jobView }, { isSelected: false }, outcomes, 'cancelled');
    const ended = ctx.settings.get('quiet') ? [] : outcomes.filter(({ unchanged }) => unchanged === true);
    return {
      ...result,
      notes: ended.length === 0 ? result.notes : ended.map(({ id, status = '?' }) => `job ${id} is already ${status}`),
    };
  },
});
