/** top as one frame, as rows for programs, and as a screen that takes keys until q. */
import type { CommandContext } from '../../cli/model/context.ts';
import { every } from '../../cli/until.ts';
import type { Key } from '../../core/context.ts';
import { isInterrupt } from '../../core/failure.ts';
import type { Json } from '../../core/json.ts';
import { safeText, say } from '../../core/safe-text.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { formatDuration } from '../../core/units.ts';
import { untilAborted } from '../../core/until-aborted.ts';
import { text } from '../../output/cells.ts';
import { keyStep, type LiveScreen, openLiveScreen } from '../../output/live/screen.ts';
import { loadPaint, type Piece } from '../../output/text/colour.ts';
import { joinText, styled } from '../../output/text/terminal-text.ts';
import type { Result, View } from '../../output/view.ts';
import { Fleet, type Shown } from './fleet.ts';
import { frameLines, selectedOf, type Ui } from './frame.ts';
import { listed, type Row, rowsOf, type Sort, SORTS } from './rows.ts';

const MEMBERS = ['at', 'kind', 'id', 'name'];

const topView: View = {
  noun: ['row', 'rows'],
  id: (row) => text(row, 'id'),
  members: MEMBERS,
  columns: [...MEMBERS, 'status', 'costToday'].map((member) => ({
    header: member.toUpperCase(),
    show: (row) => text(row, member),
  })),
};

function listedRows(ctx: CommandContext, fleet: Fleet, sort: Sort): readonly Row[] {
  const { pods = [], endpoints = [] } = listed(rowsOf(fleet, ctx.clock.monotonic()), sort);
  return [...pods, ...endpoints];
}

function dataRows(ctx: CommandContext, fleet: Fleet, sort: Sort): readonly Json[] {
  const at = new Date(ctx.serviceNow()).toISOString();
  return listedRows(ctx, fleet, sort).map(({ data }) => ({ at, ...data }));
}

export async function once(ctx: CommandContext, shown: Shown, sort: Sort, isFrame: boolean): Promise<Result> {
  const fleet = new Fleet(shown);
  await fleet.read(ctx, 0, Infinity);
  if (!isFrame) return { kind: 'many', view: topView, values: dataRows(ctx, fleet, sort) };
  const [now, serviceNow] = [ctx.clock.monotonic(), ctx.serviceNow()];
  const { output, columns, colour } = ctx.terminal;
  const state: readonly Piece[] = [{ text: say`${new Date(serviceNow).toISOString().slice(0, 19)}Z`, tone: 'quiet' }];
  const size = { columns: (output ? columns : undefined) ?? Infinity, rows: undefined };
  const input = { fleet, ui: { selected: undefined, sort }, now, serviceNow, state };
  const lines = await frameLines(input, size, await loadPaint(colour.output));
  await ctx.stdout.write(joinText(lines.map((line) => styled`${line}\n`)));
  return { kind: 'nothing' };
}

/** Until Ctrl-C (130, without a message). Request failures end it only until something was read. */
export async function streamRows(
  ctx: CommandContext,
  shown: Shown,
  sort: Sort,
  wantedMs: Milliseconds,
): Promise<Result> {
  const rows = ctx.rows(topView);
  const fleet = new Fleet(shown);
  try {
    for (;;) {
      await fleet.read(ctx, wantedMs);
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

const REDRAW_MS: Milliseconds = 1000;

/** Quit ends 0, Ctrl-C 130, SIGTERM 143. Request failures end it only until something was read. */
export async function live(ctx: CommandContext, shown: Shown, sort: Sort, wantedMs: Milliseconds): Promise<Result> {
  const quit = new AbortController();
  const stop = AbortSignal.any([ctx.signal, quit.signal]);
  const paint = await loadPaint(ctx.terminal.colour.output);
  const fleet = new Fleet(shown);
  let ui: Ui = { selected: undefined, sort };
  let drawing: Promise<void> = Promise.resolve();
  const drawNow = async (): Promise<void> => {
    const [now, serviceNow] = [ctx.clock.monotonic(), ctx.serviceNow()];
    const input = {
      fleet,
      ui,
      now,
      serviceNow,
      state: stateOf(fleet, ui, now),
      footer: screen.hasKeys ? 'q quit  s sort  arrows move' : 'Ctrl-C quits',
    };
    const { columns, rows } = screen;
    const isRead = fleet.intervalMs > 0;
    await screen.draw(isRead ? await frameLines(input, { columns, rows }, paint) : [say`reading...`]);
  };
  // One frame after the other.
  const draw = (): Promise<void> => (drawing = drawing.catch(() => undefined).then(drawNow));
  // If the terminal is gone, the next drawing in the loop fails too and ends the command.
  const drawSoon = (): void => {
    draw().catch(() => undefined);
  };
  const screen: LiveScreen = await openLiveScreen(ctx, {
    kind: 'full',
    onKey: (key) => {
      if (key.name === 'q') quit.abort(new Error('the user quit'));
      ui = pressed(ui, key, listedRows(ctx, fleet, ui.sort), Math.max(1, screen.rows - 6));
      drawSoon();
    },
    onResize: drawSoon,
  });
  try {
    await draw();
    for (;;) {
      await untilAborted(stop, fleet.read(ctx, wantedMs));
      const readAt = ctx.clock.monotonic();
      for (let left = fleet.intervalMs; left > 0; left = readAt + fleet.intervalMs - ctx.clock.monotonic()) {
        await draw();
        await every(ctx, Math.min(left, REDRAW_MS), { requests: 0, signal: stop });
      }
    }
  } catch (error) {
    if (quit.signal.aborted && error === quit.signal.reason) return { kind: 'nothing' };
    if (ctx.signal.aborted && isInterrupt(error)) return { kind: 'nothing', exit: error.exit };
    throw error;
  } finally {
    await screen.close();
  }
}

function stateOf(fleet: Fleet, ui: Ui, now: Milliseconds): readonly Piece[] {
  const [failed, ...others] = fleet.failures;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const interval = `${Math.round(fleet.intervalMs / 100) / 10}s`;
  const { readAt } = fleet;
  const ago = readAt === undefined ? '' : `, read ${formatDuration(Math.round((now - readAt) / 1000) * 1000)} ago`;
  return [
    { text: safeText(failed === undefined ? '' : `${failed.what}: ${failed.failure.message}${more}  `), tone: 'bad' },
    { text: safeText(`every ${interval}${ago}, by ${ui.sort}`), tone: 'quiet' },
  ];
}

/** `page`: how many rows fit. */
function pressed(ui: Ui, key: Key, rows: readonly Row[], page: number): Ui {
  if (key.name === 's') return { ...ui, sort: SORTS[(SORTS.indexOf(ui.sort) + 1) % SORTS.length] ?? 'cost' };
  const step = keyStep(key, page);
  if (step === undefined) return ui;
  const selected = selectedOf(ui, rows);
  const at = rows.findIndex((row) => row.key === selected) + step;
  return { ...ui, selected: rows[Math.max(0, Math.min(rows.length - 1, at))]?.key };
}
