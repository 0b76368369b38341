import type { Id } from '../../../core/ids.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { identify } from '../../../cli/resource/identity/identify.ts';
import type { Result } from '../../../output/view.ts';
import { isRunning } from '../../../queue/job-status.ts';
import { statusRequest } from '../../../queue/requests.ts';
import { ENDPOINTS } from '../../shared/collections.ts';
import { readEndpointFacts } from '../../shared/explain/endpoint-facts.ts';
import { readFact, valueOf } from '../../shared/explain/facts.ts';
import { readWorkerNotes } from '../../shared/explain/lost-results.ts';
import { decide, explained, type Verdict } from '../../shared/explain/verdict.ts';
import { isCertainlyThere } from '../job/job-not-there-yet.ts';
import { JOB_CAUSES, jobEvidence, type JobFacts } from './causes.ts';
import { timeToLiveOf } from './time-to-live.ts';

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
export const jobResult = (ctx: CommandContext, { facts, verdict }: ExplainedJob, exitStatus: boolean): Result =>
  explained(ctx, { endpoint: facts.id, job: facts.jobId }, verdict, jobEvidence(facts), exitStatus);

async function readJobFacts(
  ctx: CommandContext,
  id: Id<'endpoint'>,
  jobId: string,
  sampleMs: number,
): Promise<JobFacts> {
  const [job, facts, remembered] = await Promise.all([
    readFact(ctx, statusRequest(id, jobId)),
    readEndpointFacts(ctx, id, sampleMs),
    ctx.jobs.read(),
  ]);
  // As old as the status, also where the log of a worker is slow.
  const now = ctx.serviceNow();
  const notes = isRunning(valueOf(job)) ? await readWorkerNotes(ctx, facts, (line) => line.includes(jobId)) : [];
  const submitted = remembered.find((each) => each.id === jobId);
  const isThere = await isCertainlyThere(ctx, { endpoint: id, job: jobId });
  const ttl = submitted === undefined ? undefined : timeToLiveOf(submitted, now);
  return { ...facts, jobId, job, submitted, ttl, isCertainlyThere: isThere, notes };
}
