import type { Id } from '../../../core/ids.ts';
import { defineCommand } from '../../../cli/command.ts';
import type { CommandContext } from '../../../cli/context.ts';
import { identify } from '../../../cli/resource/identify.ts';
import { arg, option } from '../../../cli/parse/params.ts';
import { statusRequest } from '../../../queue/requests.ts';
import { ENDPOINTS } from '../../shared/collections.ts';
import { readEndpointFacts } from '../../shared/explain/endpoint-facts.ts';
import { readFact } from '../../shared/explain/facts.ts';
import { SAMPLE_OPTION } from '../../shared/explain/sample.ts';
import { decide, EXIT_STATUS_HELP, explained } from '../../shared/explain/verdict.ts';
import { JOB_CAUSES, jobEvidence, type JobFacts } from './causes.ts';

/** `berth jobs explain ENDPOINT JOB`: why a job waits, how long it will, or how it ended. */
export const explain = defineCommand({
  summary: 'say why a job does not move, how long that takes, or how it ended',
  details:
    'First the verdict, then what was found, each with the request that said it, then the commands that cure it. -o json has them as verdict, code, state, evidence and cure. Ends 0 when it could tell. The service tells no positions in the queue: the number of jobs ahead is the most that it can be.',
  args: { endpoint: arg.text('endpoint id, name or model slug'), job: arg.text('job id') },
  options: { ...SAMPLE_OPTION, exitStatus: option.on(EXIT_STATUS_HELP) },
  examples: [
    ['berth jobs explain demo JOB', 'why does it wait, and how long?'],
    ['berth jobs explain demo JOB --sample 60s', 'a better estimate, where jobs take long'],
  ],
  run: async (ctx, { endpoint, job, sample, exitStatus }) => {
    const { facts, verdict } = await explainJob(ctx, endpoint, job, sample);
    return explained({ endpoint: facts.id, job }, verdict, jobEvidence(facts), exitStatus);
  },
});

/** Reads what decides about a job, and decides. Fails as the first request does when nothing could be read. */
export async function explainJob(ctx: CommandContext, endpoint: string, job: string, sampleMs: number) {
  const { result: facts } = await identify(ctx, ENDPOINTS, endpoint, (id) => readJobFacts(ctx, id, job, sampleMs));
  return { facts, verdict: decide(JOB_CAUSES, facts) };
}

async function readJobFacts(
  ctx: CommandContext,
  id: Id<'endpoint'>,
  jobId: string,
  sampleMs: number,
): Promise<JobFacts> {
  const [job, facts] = await Promise.all([
    readFact(ctx, statusRequest(id, jobId)),
    readEndpointFacts(ctx, id, sampleMs),
  ]);
  return { ...facts, jobId, job };
}
