import { arg } from '../../cli/model/params.ts';
import { ENDPOINTS } from '../../cli/resource/collections.ts';
import { explainCommand } from '../explain/command.ts';
import { isCertainlyThere } from './job.ts';

export const explain = explainCommand({
  summary: 'say why a job does not move, or how it ended',
  details: 'The service does not report positions in the queue, so the number of jobs ahead is an upper limit.',
  args: {
    endpoint: arg.text('endpoint id, name or model slug', { complete: ENDPOINTS }),
    job: arg.text('job id', { complete: 'job' }),
  },
  examples: [[`berth jobs explain demo "$(berth jobs run demo --input '{}')"`, 'why does it wait?']],
  about: ['endpoint', 'job'],
  read: async (ctx, { endpoint, job }) =>
    (await import('../explain/reads.ts')).readJob(ctx, endpoint, job, (id) =>
      isCertainlyThere(ctx, { endpoint: id, job }),
    ),
});
