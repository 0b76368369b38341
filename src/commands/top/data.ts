/** The rows of top for programs, and the one frame of --once. */
import type { CommandContext } from '../../cli/model/context.ts';
import { every } from '../../cli/until.ts';
import { isInterrupt } from '../../core/failure.ts';
import type { Json } from '../../core/json.ts';
import { say } from '../../core/safe-text.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { text } from '../../output/cells.ts';
import { loadPaint } from '../../output/text/colour.ts';
import { joinText, styled } from '../../output/text/terminal-text.ts';
import type { Result, View } from '../../output/view.ts';
import { Fleet, type Shown } from './fleet.ts';
import { frameLines, headLines, MIN_COLUMNS } from './frame.ts';
import { listed, rowsOf, type Sort } from './rows.ts';

const MEMBERS = ['at', 'kind', 'id', 'name'];

const topView: View = {
  noun: ['row', 'rows'],
  id: text('id'),
  members: MEMBERS,
  columns: [...MEMBERS, 'status', 'costToday'].map((member) => ({ header: member.toUpperCase(), show: text(member) })),
};

function dataRows(ctx: CommandContext, fleet: Fleet, sort: Sort): readonly Json[] {
  const { pods, endpoints } = listed(rowsOf(fleet, ctx.clock.monotonic()), sort);
  const at = new Date(ctx.serviceNow()).toISOString();
  return [...(pods ?? []), ...(endpoints ?? [])].map(({ data }) => ({ at, ...data }));
}

const PLAIN_COLUMNS = 120;

export async function once(ctx: CommandContext, shown: Shown, sort: Sort, isFrame: boolean): Promise<Result> {
  const fleet = new Fleet(shown);
  await fleet.read(ctx, 0, Infinity);
  if (!isFrame) return { kind: 'many', view: topView, values: dataRows(ctx, fleet, sort) };
  const rows = listed(rowsOf(fleet, ctx.clock.monotonic()), sort);
  const now = ctx.serviceNow();
  const { output, columns = PLAIN_COLUMNS, colour } = ctx.terminal;
  const width = output ? Math.max(MIN_COLUMNS, columns) : PLAIN_COLUMNS;
  const paint = await loadPaint(colour.output);
  const time = { text: say`${new Date(now).toISOString().slice(0, 19)}Z`, tone: 'quiet' } as const;
  const head = headLines(fleet, rows, [time], output ? width : Infinity, paint);
  const lines = await frameLines({ ...rows, head, now }, { columns: width, rows: undefined }, paint);
  await ctx.stdout.write(joinText(lines.map((line) => styled`${line}\n`)));
  return { kind: 'nothing' };
}

/** Readings in a row with a failure; then fails as the last request did. */
const MAX_FAILURES = 10;

/** Until Ctrl-C (130, without a message). */
export async function streamRows(
  ctx: CommandContext,
  shown: Shown,
  sort: Sort,
  wantedMs: Milliseconds,
): Promise<Result> {
  const rows = ctx.rows(topView);
  const fleet = new Fleet(shown);
  let failed = 0;
  try {
    for (;;) {
      await fleet.read(ctx, wantedMs);
      const [failure] = fleet.failures;
      failed = failure === undefined ? 0 : failed + 1;
      if (failure !== undefined && failed >= MAX_FAILURES) throw failure.failure;
      await rows.rows(dataRows(ctx, fleet, sort));
      await every(ctx, fleet.intervalMs, { requests: 0 });
    }
  } catch (error) {
    if (ctx.signal.aborted && isInterrupt(error)) return { kind: 'nothing', exit: error.exit };
    throw error;
  } finally {
    await rows.close();
  }
}
