import { DAY_MS } from '../../core/durations.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { Failure, rethrowUnlessFailure } from '../../core/failure.ts';
import { sentence } from '../../core/message.ts';
import { unsetLine } from '../shared/unset-line.ts';

/**
 * How long a profile remembers that its older volume API (v1) is retired. A rest address that serves another program by
 * then is tried again.
 */
const REMEMBERED_MS = 30 * DAY_MS;

const noteOf = (address: string): string => `v1 retired: ${address}`;

/** Where the older volume API is (specification 4.4). */
export const V1 = { service: 'rest', path: ['v1', 'networkvolumes'] } as const;

/** Whether a read of the older volume API is answered with 410: for a dry run, which sends no write. */
export async function saysRetired(ctx: CommandContext): Promise<boolean> {
  try {
    await ctx.api.send({ ...V1, method: 'GET' });
    return false;
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    return error.status === 410;
  }
}

/** Whether the service has said lately that its older volume API (v1) at this address is retired. */
export async function isKnownRetired({ notes }: CommandContext, address: string): Promise<boolean> {
  const ageMs = await notes.ageMs(noteOf(address));
  return ageMs !== undefined && ageMs < REMEMBERED_MS;
}

/** Says once that v1 is retired, and remembers it for the profile. */
export async function tellRetired(ctx: CommandContext, address: string, { status }: Failure): Promise<void> {
  await ctx.tell(
    sentence`The older volume API (v1) at ${address} is retired (${status ?? 410}): the management API (v2) is used instead, from now on too. Drop the address: ${unsetLine(ctx.settings, 'rest-url')}.`,
  );
  await ctx.notes.make(noteOf(address));
}

/** Whether v1 is not there (additions to the contract, 4): nothing happened, so that sending to v2 is safe. */
export const isRetired = (error: unknown): error is Failure =>
  error instanceof Failure && (error.status === 410 || error.status === 404);
