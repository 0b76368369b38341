import { isNotFound, type Failure } from '../../../core/failure.ts';
import { sentence } from '../../../core/message.ts';
import { askUntilThere, createAbsence, type Absence } from '../../../core/not-there-yet.ts';
import type { RememberedJob } from '../../../core/ports/remembered.ts';
import { formatDuration } from '../../../core/units.ts';
import type { Milliseconds } from '../../../core/unit-types.ts';
import { absenceOfJob, certainMs } from '../../../queue/not-there-yet.ts';
import { hasEnded } from '../../../queue/job-status.ts';
import type { CommandContext } from '../../../cli/model/context.ts';
import { ENDPOINTS } from '../../shared/collections.ts';
import { statusLine, waitLine } from './command-lines.ts';

/** For how long a wait asks for a job that this machine does not know: another machine may have submitted it just now. */
const UNKNOWN_JOB_MS: Milliseconds = 10_000;

/** A job on the endpoint that a command line names by its id or its name. */
export interface NamedJob {
  readonly endpoint: string;
  readonly job: string;
}

/**
 * Returns a function that runs requests about a job that is waited for, from now on for `timeoutMs`: it resolves to undefined
 * while the service does not have the job yet. `absence` is that of a job that this command has submitted.
 */
export function askForJob(
  ctx: CommandContext,
  named: NamedJob,
  timeoutMs: Milliseconds,
  absence?: Absence,
): ReturnType<typeof askUntilThere> {
  const { clock } = ctx;
  const unknownUntil = clock.monotonic() + Math.min(UNKNOWN_JOB_MS, timeoutMs);
  return askUntilThere(async () => {
    if (absence !== undefined) return absence;
    const known = await rememberedJob(ctx, named.job);
    return known === undefined ? createAbsence(clock, unknownUntil) : await absenceOf(ctx, named, known);
  });
}

/** Decides about the 404s of a job that this machine has submitted to this endpoint; undefined for any other one. */
export async function absenceOfRemembered(ctx: CommandContext, named: NamedJob): Promise<Absence | undefined> {
  const known = await rememberedJob(ctx, named.job);
  return known && (await absenceOf(ctx, named, known));
}

/** Whether the service certainly has a job still: this machine submitted it to this endpoint, and has not seen it end. */
export const isCertainlyThere = async (ctx: CommandContext, named: NamedJob): Promise<boolean> =>
  (await absenceOfRemembered(ctx, named))?.isNotThereYet() === true;

/** Whether the 404 of a job can mean that its result has expired: not of another endpoint, and not certainly there. */
export async function mayHaveExpired(ctx: CommandContext, named: NamedJob): Promise<boolean> {
  const known = await rememberedJob(ctx, named.job);
  return known === undefined || (isOn(ctx, named.endpoint, known) && !(await isCertainlyThere(ctx, named)));
}

/**
 * Rethrows. A 404 of a job that this machine submitted elsewhere names that endpoint, and one of a job that the service certainly
 * has warns of a second submission; that of any other one says that its result may have expired (specification 8.2).
 */
export async function explainAbsence(ctx: CommandContext, named: NamedJob, error: unknown): Promise<never> {
  if (!isNotFound(error)) throw error;
  const known = await rememberedJob(ctx, named.job);
  throw (await reasonOf(ctx, named, known, error)).with({ id: named.job });
}

async function reasonOf(
  ctx: CommandContext,
  named: NamedJob,
  known: RememberedJob | undefined,
  error: Failure,
): Promise<Failure> {
  const { endpoint, job } = named;
  if (known !== undefined && !isOn(ctx, endpoint, known))
    return error.with({ hint: sentence`It was submitted to ${known.endpoint}: ${statusLine(known.endpoint, job)}` });
  if (known !== undefined && (await absenceOf(ctx, named, known))?.isNotThereYet() === true)
    return error.with({
      message: `job ${job} is not found, although this machine submitted it ${formatDuration(await ageMsOf(ctx, known))} ago`,
      hint: sentence`Its result cannot have expired: do not submit it again, or it runs and is paid twice. Ask again: ${waitLine(endpoint, job)}`,
    });
  if (known !== undefined) await ctx.jobs.sawGone(job, ctx.serviceNow());
  return error.with({
    hint: 'Either the endpoint or the job id is wrong, or the result has expired: results are kept for 30 minutes after completion (run), 1 to 5 minutes (runsync).',
  });
}

/** The job of this id that this machine has submitted, to any endpoint. */
const rememberedJob = async ({ jobs }: CommandContext, job: string): Promise<RememberedJob | undefined> =>
  (await jobs.read()).find(({ id }) => id === job);

/** Whether a job was submitted to the endpoint that a word names, as far as that is known by now. */
const isOn = (ctx: CommandContext, word: string, known: RememberedJob): boolean =>
  [known.endpoint, known.named].includes(word) || known.endpoint === ctx.ids.get(ENDPOINTS, word);

/** A job of another endpoint is not here; one that was seen to end may be gone: nothing is paid for it any more. */
const absenceOf = async (
  ctx: CommandContext,
  { endpoint }: NamedJob,
  known: RememberedJob,
): Promise<Absence | undefined> =>
  hasEnded({ status: known.status ?? null }) || !isOn(ctx, endpoint, known)
    ? undefined
    : absenceOfJob(ctx.clock, await ageMsOf(ctx, known), { ttlMs: known.certainMs ?? certainMs({}) });

const ageMsOf = async (ctx: CommandContext, { at }: RememberedJob): Promise<Milliseconds> =>
  Math.max(0, (await ctx.fetchServiceNow()) - at);
