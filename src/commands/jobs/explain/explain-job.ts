import type { Id } from '../../../core/ids.ts';
import type { CommandContext } from '../../../cli/context.ts';
import { identify } from '../../../cli/resource/identity/identify.ts';
import type { Result } from '../../../output/view.ts';
import { statusRequest } from '../../../queue/requests.ts';
import { ENDPOINTS } from '../../shared/collections.ts';
import { readEndpointFacts } from '../../shared/explain/endpoint-facts.ts';
import { readFact } from '../../shared/explain/facts.ts';
import { decide, explained, type Verdict } from '../../shared/explain/verdict.ts';
import { JOB_CAUSES, jobEvidence, type JobFacts } from './causes.ts';

/** A job with what is known of it, and why it does not move. */
interface ExplainedJob {
  readonly facts: JobFacts;
  readonly verdict: Verdict;
}

/**
 * Reads what decides about a job, and decides. Fails with not-found (4) when there is no such endpoint, and as the first
 * request does when nothing could be read. `sampleMs` is how long the queue is watched.
 */
export async function explainJob(
  ctx: CommandContext,
  endpoint: string,
  job: string,
  sampleMs: number,
): Promise<ExplainedJob> {
  const { result: facts } = await identify(ctx, ENDPOINTS, endpoint, (id) => readJobFacts(ctx, id, job, sampleMs));
  return { facts, verdict: decide(JOB_CAUSES, facts) };
}

/** What `jobs explain` prints. */
export const jobResult = ({ facts, verdict }: ExplainedJob, exitStatus: boolean): Result =>
  explained({ endpoint: facts.id, job: facts.jobId }, verdict, jobEvidence(facts), exitStatus);

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
