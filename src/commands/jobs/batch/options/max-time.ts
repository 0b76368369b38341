import { EXIT } from '../../../../core/exit-codes.ts';
import { Failure, usage } from '../../../../core/failure.ts';
import { formatDuration } from '../../../../core/units.ts';
import type { CommandContext } from '../../../../cli/model/context.ts';
import type { Milliseconds } from '../../../../core/unit-types.ts';

interface TimeValues {
  readonly maxTime: number | undefined;
  readonly timeout: number | undefined;
}

/**
 * Returns the value of --max-time, or of its old name --timeout with a warning. Fails with usage (2) when
 * both are given.
 */
export async function maxTimeOf(
  ctx: CommandContext,
  { maxTime, timeout }: TimeValues,
): Promise<Milliseconds | undefined> {
  if (timeout === undefined) return maxTime;
  if (maxTime !== undefined) throw usage('--timeout is the old name of --max-time', 'Give one of them.');
  await ctx.tell('--timeout of a batch is called --max-time now; the old name still works.');
  return timeout;
}

/**
 * Returns a Context whose requests fail with wait-ended (9) after the time of the whole batch: for the
 * requests before the first job.
 */
export function withDeadline(ctx: CommandContext, timeoutMs: Milliseconds | undefined): CommandContext {
  if (timeoutMs === undefined) return ctx;
  const endsAt = ctx.clock.monotonic() + timeoutMs;
  return {
    ...ctx,
    api: {
      ...ctx.api,
      send: async (request) => {
        const deadline = ctx.clock.deadline(Math.max(1, endsAt - ctx.clock.monotonic()));
        // A race, so that waits between retries end too.
        const expired = new Promise<never>((_, reject) => {
          deadline.signal.addEventListener('abort', () => {
            reject(timeIsUp(timeoutMs));
          });
        });
        try {
          return await Promise.race([ctx.api.send(request), expired]);
        } finally {
          deadline.cancel();
        }
      },
    },
  };
}

const timeIsUp = (timeoutMs: Milliseconds): Failure =>
  new Failure({
    code: 'wait-ended',
    exit: EXIT.waitEnded,
    message: `the time for the batch, ${formatDuration(timeoutMs)}, was up before its first job`,
    hint: 'Nothing was sent. Run it again with a longer --max-time.',
  });
