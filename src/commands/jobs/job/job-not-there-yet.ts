import { isNotFound } from '../../../core/failure.ts';
import { berth, sentence } from '../../../core/message.ts';
import { askUntilThere, createAbsence, type Absence } from '../../../core/not-there-yet.ts';
import type { RememberedJob } from '../../../core/ports/remembered.ts';
import { formatDuration } from '../../../core/units.ts';
import type { Milliseconds } from '../../../core/unit-types.ts';
import { absenceOfJob, certainMs } from '../../../queue/not-there-yet.ts';
import { hasEnded } from '../../../queue/job-status.ts';
import type { CommandContext } from '../../../cli/model/context.ts';

/** For how long a wait asks for a job that this machine does not know: another machine may have submitted it just now. */
const UNKNOWN_JOB_MS: Milliseconds = 10_000;

/**
 * Returns a function that runs requests about a job that is waited for: it resolves to undefined while the service does not
 * have the job yet. `absence` is that of a job that this command has submitted.
 */
export const askForJob = (ctx: CommandContext, job: string, absence?: Absence): ReturnType<typeof askUntilThere> =>
  askUntilThere(async () => {
    if (absence !== undefined) return absence;
    const known = await rememberedJob(ctx, job);
    const { clock } = ctx;
    return known === undefined ? createAbsence(clock, clock.monotonic() + UNKNOWN_JOB_MS) : absenceOf(ctx, known);
  });

/** Decides about the 404s of a job that this machine has submitted; undefined for any other one. */
export async function absenceOfRemembered(ctx: CommandContext, job: string): Promise<Absence | undefined> {
  const known = await rememberedJob(ctx, job);
  return known && absenceOf(ctx, known);
}

/** Whether the service certainly has a job still: this machine submitted it, and has not seen it end. */
export const isCertainlyThere = async (ctx: CommandContext, job: string): Promise<boolean> =>
  (await absenceOfRemembered(ctx, job))?.isNotThereYet() === true;

/**
 * Rethrows. A 404 of a job that the service certainly has says that it runs; that of any other one that its result may have
 * expired (specification 8.2).
 */
export async function explainAbsence(
  ctx: CommandContext,
  endpoint: string,
  job: string,
  error: unknown,
): Promise<never> {
  if (!isNotFound(error)) throw error;
  if (!(await isCertainlyThere(ctx, job)))
    throw error.with({
      id: job,
      hint: 'Either the endpoint or the job id is wrong, or the result has expired: results are kept for 30 minutes after completion (run), 1 to 5 minutes (runsync).',
    });
  throw error.with({
    id: job,
    message: `job ${job} is not found, although this machine submitted it ${await ageOf(ctx, job)} ago`,
    hint: sentence`Its result cannot have expired: do not submit it again, or it runs and is paid twice. Ask again: ${berth`jobs wait ${endpoint} ${job}`}`,
  });
}

const rememberedJob = async ({ jobs }: CommandContext, job: string): Promise<RememberedJob | undefined> =>
  (await jobs.read()).find(({ id }) => id === job);

/** A job that was seen to end may be gone: nothing is paid for it any more. */
const absenceOf = async (ctx: CommandContext, known: RememberedJob): Promise<Absence | undefined> =>
  hasEnded({ status: known.status ?? null })
    ? undefined
    : absenceOfJob(ctx.clock, await ageMsOf(ctx, known), { ttlMs: known.certainMs ?? certainMs({}) });

const ageMsOf = async (ctx: CommandContext, { at }: RememberedJob): Promise<Milliseconds> =>
  Math.max(0, (await ctx.fetchServiceNow()) - at);

async function ageOf(ctx: CommandContext, job: string): Promise<string> {
  const known = await rememberedJob(ctx, job);
  return formatDuration(known === undefined ? 0 : await ageMsOf(ctx, known));
}
