import type { CommandContext } from '../../cli/model/context.ts';
import type { Fleet } from './fleet.ts';
import { drawFrame, MIN_COLUMNS } from './frame.ts';
import { type EndpointRow, endpointRows, ordered, type PodRow, podRows, type Sort, totalsOf } from './rows.ts';
import type { Shown } from './schedule.ts';
import { FIRST_SESSION, nextTick, readAll } from './session.ts';
import { isInterrupt } from '../../core/failure.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { say } from '../../core/safe-text.ts';
import { text } from '../../output/cells.ts';
import { loadPaint } from '../../output/text/colour.ts';
import { joinText, styled } from '../../output/text/terminal-text.ts';
import type { Result, View } from '../../output/view.ts';

const MEMBERS = ['at', 'kind', 'id', 'name'];

const topView: View = {
  noun: ['row', 'rows'],
  id: text('id'),
  members: MEMBERS,
  columns: [...MEMBERS, 'status', 'costToday'].map((member) => ({ header: member.toUpperCase(), show: text(member) })),
};

/** `at`: the service's time. Unknown members are null. `now` is monotonic. */
function dataRows(fleet: Fleet, shown: Shown, sort: Sort, at: number, now: number): readonly Json[] {
  const time = new Date(at).toISOString();
  return [
    ...(shown.pods ? ordered(podRows(fleet, now), sort, '').map((row) => podData(row, time)) : []),
    ...(shown.endpoints ? ordered(endpointRows(fleet, now), sort, '').map((row) => endpointData(row, time)) : []),
  ];
}

const orNull = (value: number | undefined): number | null =>
  value === undefined || !Number.isFinite(value) ? null : Math.round(value * 1000) / 1000;

const readSecondsAgo = ({ readMs }: PodRow | EndpointRow): number | null =>
  orNull(readMs === undefined ? undefined : Math.round(readMs / 1000));

const podData = (row: PodRow, at: string): JsonObject => ({
  at,
  kind: 'pod',
  id: row.id,
  name: row.name,
  status: row.status,
  gpuUtil: orNull(row.gpu.now),
  gpuMemoryUtil: orNull(row.gpuMemory.now),
  cpuUtil: orNull(row.cpu),
  memoryUtil: orNull(row.memory),
  costPerHour: row.cost ?? null,
  costToday: row.spentToday ?? null,
  createdAt: row.createdAt ?? null,
  readSecondsAgo: readSecondsAgo(row),
});

const endpointData = (row: EndpointRow, at: string): JsonObject => ({
  at,
  kind: 'endpoint',
  id: row.id,
  name: row.name,
  type: row.type,
  inQueue: orNull(row.waiting.now),
  inProgress: orNull(row.running.now),
  workers: Object.fromEntries(row.workers),
  completed: orNull(row.completed),
  failed: orNull(row.failed),
  completedPerMinute: orNull(row.completedRate.now),
  failedPerMinute: orNull(row.failedRate.now),
  costPerHour: orNull(row.cost),
  costToday: row.spentToday ?? null,
  createdAt: row.createdAt ?? null,
  readSecondsAgo: readSecondsAgo(row),
});

const PLAIN_COLUMNS = 120;

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

/** Readings in a row without a result; then fails as the last request did. */
const MAX_FAILURES = 10;

/** Until Ctrl-C (130, without a message). */
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
