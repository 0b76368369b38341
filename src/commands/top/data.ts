/** The rows of top for programs, and the one frame of --once. */
import type { CommandContext } from '../../cli/model/context.ts';
import { isInterrupt } from '../../core/failure.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { say } from '../../core/safe-text.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { text } from '../../output/cells.ts';
import { loadPaint } from '../../output/text/colour.ts';
import { joinText, styled } from '../../output/text/terminal-text.ts';
import type { Result, View } from '../../output/view.ts';
import { Fleet, type Shown } from './fleet.ts';
import { frameLines, MIN_COLUMNS } from './frame.ts';
import { rowsOf, type Row, type Sort } from './rows.ts';

const MEMBERS = ['at', 'kind', 'id', 'name'];

const topView: View = {
  noun: ['row', 'rows'],
  id: text('id'),
  members: MEMBERS,
  columns: [...MEMBERS, 'status', 'costToday'].map((member) => ({ header: member.toUpperCase(), show: text(member) })),
};

const orNull = (value: number | undefined): number | null =>
  value === undefined || !Number.isFinite(value) ? null : Math.round(value * 1000) / 1000;

/** Unknown members are null. */
function dataOf(row: Row, at: string): JsonObject {
  const shared = {
    costPerHour: orNull(row.cost),
    costToday: row.spentToday ?? null,
    createdAt: row.createdAt ?? null,
    readSecondsAgo: row.readMs === undefined ? null : Math.round(row.readMs / 1000),
  };
  const { kind, id, name } = row;
  return row.kind === 'pod'
    ? {
        ...{ at, kind, id, name, status: row.status },
        gpuUtil: orNull(row.gpu.now),
        gpuMemoryUtil: orNull(row.gpuMemory.now),
        cpuUtil: orNull(row.cpu),
        memoryUtil: orNull(row.memory),
        ...shared,
      }
    : {
        ...{ at, kind, id, name, type: row.type },
        inQueue: orNull(row.waiting.now),
        inProgress: orNull(row.running.now),
        workers: Object.fromEntries(row.workers),
        completed: orNull(row.completed),
        failed: orNull(row.failed),
        completedPerMinute: orNull(row.completedRate.now),
        failedPerMinute: orNull(row.failedRate.now),
        ...shared,
      };
}

function dataRows(ctx: CommandContext, fleet: Fleet, sort: Sort): readonly Json[] {
  const { pods, endpoints } = rowsOf(fleet, sort, '', ctx.clock.monotonic());
  const at = new Date(ctx.serviceNow()).toISOString();
  return [...(pods ?? []), ...(endpoints ?? [])].map((row) => dataOf(row, at));
}

const PLAIN_COLUMNS = 120;

export async function once(ctx: CommandContext, shown: Shown, sort: Sort, isFrame: boolean): Promise<Result> {
  const fleet = new Fleet(shown);
  await fleet.readAll(ctx);
  if (!isFrame) return { kind: 'many', view: topView, values: dataRows(ctx, fleet, sort) };
  const lines = await frameLines(
    {
      ...rowsOf(fleet, sort, '', ctx.clock.monotonic()),
      now: ctx.serviceNow(),
      status: [{ text: say`${new Date(ctx.serviceNow()).toISOString().slice(0, 19)}Z`, tone: 'quiet' }],
    },
    {
      columns: ctx.terminal.output ? Math.max(MIN_COLUMNS, ctx.terminal.columns ?? PLAIN_COLUMNS) : PLAIN_COLUMNS,
      rows: undefined,
      isWholeHead: !ctx.terminal.output,
    },
    await loadPaint(ctx.terminal.colour.output),
  );
  await ctx.stdout.write(joinText(lines.map((line) => styled`${line}\n`)));
  return { kind: 'nothing' };
}

/** Readings in a row without a result; then fails as the last request did. */
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
      for (const row of dataRows(ctx, fleet, sort)) await rows.row(row);
      await ctx.clock.sleep(fleet.intervalMs, ctx.signal);
    }
  } catch (error) {
    if (ctx.signal.aborted && isInterrupt(error)) return { kind: 'nothing', exit: error.exit };
    throw error;
  } finally {
    await rows.close();
  }
}
