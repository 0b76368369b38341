import { isInterrupt } from '../../core/failure.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import type { Result } from '../../output/view.ts';
import { FIRST_SESSION, nextTick } from './read/session.ts';
import type { Sort } from './model/order.ts';
import type { Shown } from './model/schedule.ts';
import { dataRows, topView } from './data-rows.ts';

/** After so many readings in a row in which nothing was read, it fails as the last request did. */
const MAX_FAILURES = 10;

/** Prints the rows of every reading until Ctrl-C (130, without a message). */
export async function streamRows(ctx: CommandContext, shown: Shown, sort: Sort, wantedMs: number): Promise<Result> {
  const rows = ctx.rows(topView);
  let session = FIRST_SESSION;
  let failed = 0;
  try {
    for (;;) {
      const before = session.fleet;
      session = await nextTick(ctx, session, shown, wantedMs);
      failed = session.fleet === before ? failed + 1 : 0;
      const [failure] = session.failures;
      if (failure !== undefined && failed >= MAX_FAILURES) throw failure.failure;
      for (const row of dataRows(session.fleet, shown, sort, ctx.serviceNow(), ctx.clock.monotonic()))
        await rows.row(row);
      await ctx.clock.sleep(session.intervalMs, ctx.signal);
    }
  } catch (error) {
    if (ctx.signal.aborted && isInterrupt(error)) return { kind: 'nothing', exit: error.exit };
    throw error;
  } finally {
    await rows.close();
  }
}
