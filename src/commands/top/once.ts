import { say } from '../../core/safe-text.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { loadPaint } from '../../output/text/colour.ts';
import { joinText, styled } from '../../output/text/terminal-text.ts';
import type { Result } from '../../output/view.ts';
import type { Fleet } from './model/fleet.ts';
import { drawFrame, MIN_COLUMNS } from './draw/frame.ts';
import { ordered, type Sort } from './model/order.ts';
import { endpointRows, podRows, totalsOf } from './model/rows.ts';
import type { Shown } from './model/schedule.ts';
import { readAll } from './read/session.ts';
import { dataRows, topView } from './data-rows.ts';

/** Columns of a frame that goes to no terminal. */
const PLAIN_COLUMNS = 120;

/** Reads everything once, and prints a frame of all rows or gives the rows. */
export async function once(ctx: CommandContext, shown: Shown, sort: Sort, isFrame: boolean): Promise<Result> {
  const fleet = await readAll(ctx, shown);
  if (!isFrame) {
    const values = dataRows(fleet, shown, sort, ctx.serviceNow(), ctx.clock.monotonic());
    return { kind: 'many', view: topView, values };
  }
  await ctx.stdout.write(await frameText(ctx, fleet, shown, sort));
  return { kind: 'nothing' };
}

async function frameText(ctx: CommandContext, fleet: Fleet, shown: Shown, sort: Sort) {
  const now = ctx.clock.monotonic();
  const lines = drawFrame(
    {
      pods: shown.pods ? ordered(podRows(fleet, now), sort, '') : undefined,
      endpoints: shown.endpoints ? ordered(endpointRows(fleet, now), sort, '') : undefined,
      totals: totalsOf(fleet, shown, now),
      now: ctx.serviceNow(),
      status: [{ text: say`${new Date(ctx.serviceNow()).toISOString().slice(0, 19)}Z`, tone: 'quiet' }],
    },
    {
      columns: Math.max(MIN_COLUMNS, ctx.terminal.columns ?? PLAIN_COLUMNS),
      rows: undefined,
      isWholeHead: !ctx.terminal.output,
    },
    await loadPaint(ctx.terminal.colour.output),
  );
  return joinText(lines.map((line) => styled`${line}\n`));
}
