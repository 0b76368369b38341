import { EXIT } from '../../../core/exit-codes.ts';
import { Failure, usage } from '../../../core/failure.ts';
import { formatDuration } from '../../../core/units.ts';
import type { CommandContext } from '../../../cli/context.ts';

interface TimeValues {
  readonly maxTime: number | undefined;
  readonly timeout: number | undefined;
}

/**
 * The time that a batch may take, in milliseconds, by either name of its flag; a person who used the old one is told.
 * Fails with usage (2) where both are given.
 */
export async function maxTimeOf(ctx: CommandContext, { maxTime, timeout }: TimeValues): Promise<number | undefined> {
  if (timeout === undefined) return maxTime;
  if (maxTime !== undefined) throw usage('--timeout is the old name of --max-time', 'Give one of them.');
  await ctx.tell('--timeout of a batch is called --max-time now; the old name still works.');
  return timeout;
}

/**
 * The Context for what a batch asks before its first job: that takes no longer than the whole batch may, in milliseconds.
 * A request that does fails with wait-ended (9).
 */
export function withinTime(ctx: CommandContext, timeoutMs: number | undefined): CommandContext {
  if (timeoutMs === undefined) return ctx;
  const endsAt = ctx.clock.monotonic() + timeoutMs;
  return {
    ...ctx,
    api: {
      ...ctx.api,
      send: async (request) => {
        const guard = ctx.clock.deadline(Math.max(1, endsAt - ctx.clock.monotonic()));
        // Waits between two tries count as well.
        const over = new Promise<never>((_, reject) => {
          guard.signal.addEventListener('abort', () => {
            reject(timeIsUp(timeoutMs));
          });
        });
        try {
          return await Promise.race([ctx.api.send(request), over]);
        } finally {
          guard.cancel();
        }
      },
    },
  };
}

const timeIsUp = (timeoutMs: number): Failure =>
  new Failure({
    code: 'wait-ended',
    exit: EXIT.waitEnded,
    message: `the time for the batch, ${formatDuration(timeoutMs)}, was up before its first job`,
    hint: 'Nothing was sent. Run it again with a longer --max-time.',
  });
