import { explainCommand } from '../explain/command.ts';
import { isCertainlyThere, jobsOf, ONE_JOB_ARGUMENTS } from './job.ts';

export const explain = explainCommand({
  summary: 'say why a job does not move, or how it ended',
  details: 'The service does not report positions in the queue, so the number of jobs ahead is an upper limit.',
  args: ONE_JOB_ARGUMENTS,
  examples: [[`berth jobs explain demo "$(berth jobs run demo --input '{}')"`, 'why does it wait?']],
  about: ['endpoint', 'job'],
  read: async (ctx, values) => {
    const [{ endpoint, job }] = await jobsOf(ctx, values.endpoint, values.job === undefined ? [] : [values.job]);
    const { readJob } = await import('../explain/reads.ts');
    return await readJob(ctx, endpoint, job, (id) => isCertainlyThere(ctx, { endpoint: id, job }));
  },
});
