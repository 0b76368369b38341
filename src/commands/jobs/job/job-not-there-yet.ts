import { askUntilThere, type Absence } from '../../../core/not-there-yet.ts';
import { absenceOfJob, certainMs } from '../../../queue/not-there-yet.ts';
import type { CommandContext } from '../../../cli/model/context.ts';

/**
 * Returns a function that runs requests about a job: it resolves to undefined while the service does not have the job yet.
 * That can be known of a job that this machine has submitted; the 404 of any other one is final.
 */
export const askForJob = (ctx: CommandContext, job: string, absence?: Absence): ReturnType<typeof askUntilThere> =>
  askUntilThere(async () => absence ?? (await absenceOfRemembered(ctx, job)));

/** Follows a job that this machine has submitted; undefined for any other one. */
export async function absenceOfRemembered({ jobs, clock }: CommandContext, job: string): Promise<Absence | undefined> {
  const known = (await jobs.read()).find(({ id }) => id === job);
  if (known === undefined) return undefined;
  // eslint-disable-next-line no-restricted-syntax -- a date: another process submitted the job
  const ageMs = Math.max(0, clock.now() - known.at);
  return absenceOfJob(clock, ageMs, { ttlMs: known.certainMs ?? certainMs({}) });
}
