import type { ApiRequest } from '../../../core/api.ts';
import type { Id } from '../../../core/ids.ts';
import { memberAt, stringOf, type Json } from '../../../core/json.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { identifyNow, sendTo } from '../../../cli/resource/identity/identify.ts';
import { askAgain } from '../../../cli/run/ask-again.ts';
import { statusRequest } from '../../../queue/requests.ts';
import { ENDPOINTS } from '../../shared/collections.ts';
import { absenceOfRemembered, explainAbsence } from './job-not-there-yet.ts';

/**
 * Reads a job; `ttl` sets how long it lives from now. One that this machine submitted is asked for again while the service does
 * not have it yet, for up to a minute. Fails as `explainAbsence` says where it is not found.
 */
export const readJob = (ctx: CommandContext, endpoint: string, job: string, ttl?: number) =>
  sendAboutJob(ctx, endpoint, job, (id) => statusRequest(id, job, ttl));

/** Reads a job once. Fails as `explainAbsence` says where it is not found. */
export const readJobNow = (ctx: CommandContext, endpoint: string, job: string) =>
  sendAboutJobNow(ctx, endpoint, job, (id) => statusRequest(id, job));

/** Sends a request about one job, as `readJob` does, and remembers the status that the answer has. */
export const sendAboutJob = (
  ctx: CommandContext,
  endpoint: string,
  job: string,
  request: (id: Id<'endpoint'>) => ApiRequest,
) =>
  askAgain(
    ctx,
    `job ${job}`,
    () => absenceOfRemembered(ctx, { endpoint, job }),
    () => sendAboutJobNow(ctx, endpoint, job, request),
  );

/** Sends a request about one job once, and remembers the status that the answer has. Fails as `explainAbsence` says. */
export async function sendAboutJobNow(
  ctx: CommandContext,
  endpoint: string,
  job: string,
  request: (id: Id<'endpoint'>) => ApiRequest,
) {
  const sent = await sendTo(ctx, ENDPOINTS, endpoint, request, identifyNow).catch((error: unknown) =>
    explainAbsence(ctx, { endpoint, job }, error),
  );
  await rememberStatus(ctx, job, sent.answer.value);
  return sent;
}

/** Remembers the status of a job that this machine submitted, where a document of the job has it. */
export async function rememberStatus(ctx: CommandContext, job: string, document: Json | undefined): Promise<void> {
  const status = stringOf(memberAt(document, 'status'));
  if (status !== undefined) await ctx.jobs.saw(job, status, ctx.serviceNow());
}
