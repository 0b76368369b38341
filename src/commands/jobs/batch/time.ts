import { EXIT } from '../../../core/exit.ts';
import { Failure } from '../../../core/failure.ts';
import { formatDuration } from '../../../core/units.ts';
import type { CommandContext } from '../../../cli/context.ts';

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
    hint: 'Nothing was sent. Run it again with a longer --timeout.',
  });
