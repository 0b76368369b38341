import { defineCommand } from '../../cli/model/command.ts';
import { TEXT } from '../../cli/model/output-schema.ts';
import { arg } from '../../cli/model/params.ts';
import { ENDPOINTS } from '../../cli/resource/collections.ts';
import {
  EXIT_STATUS_OPTION,
  EXPLAIN_DETAILS,
  EXPLAIN_EXITS,
  SAMPLE_OPTION,
  verdictSchema,
} from '../explain/verdict.ts';

export const explain = defineCommand({
  output: verdictSchema({ endpoint: TEXT, job: TEXT }),
  summary: 'say why a job does not move, how long that takes, or how it ended',
  details: `${EXPLAIN_DETAILS} The service does not report positions in the queue, so the number of jobs ahead is an upper limit.`,
  args: {
    endpoint: arg.text('endpoint id, name or model slug', { complete: ENDPOINTS }),
    job: arg.text('job id', { complete: 'job' }),
  },
  options: { ...SAMPLE_OPTION, ...EXIT_STATUS_OPTION },
  exits: EXPLAIN_EXITS,
  examples: [
    [`berth jobs explain demo "$(berth jobs run demo --input '{}')"`, 'why does it wait, and how long?'],
    [
      `berth jobs explain demo "$(berth jobs run demo --input '{}')" --sample 60s`,
      'a better estimate, where jobs take long',
    ],
  ],
  run: async (ctx, { endpoint, job, sample, exitStatus }) => {
    const { explainJob, jobResult } = await import('./explain-job.ts');
    return jobResult(ctx, await explainJob(ctx, endpoint, job, sample), exitStatus);
  },
});
