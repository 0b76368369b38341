/** The screen of top: reads, draws and takes keys until q. */
import type { CommandContext } from '../../cli/model/context.ts';
import { untilAborted } from '../../core/until-aborted.ts';
import { every } from '../../cli/until.ts';
import { isInterrupt } from '../../core/failure.ts';
import { say } from '../../core/safe-text.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { type LiveScreen, openLiveScreen } from '../../output/live/screen.ts';
import { loadPaint } from '../../output/text/colour.ts';
import type { Result } from '../../output/view.ts';
import { Fleet, type Shown } from './fleet.ts';
import { listed, rowsOf, type Sort } from './rows.ts';
import { screenLines } from './screen.ts';
import { FIRST_UI, pressed, type Ui } from './ui.ts';

const REDRAW_MS: Milliseconds = 1000;

/** Quit ends 0, Ctrl-C 130, SIGTERM 143. Request failures end it only until something was read. */
export async function live(ctx: CommandContext, shown: Shown, sort: Sort, wantedMs: Milliseconds): Promise<Result> {
  const quit = new AbortController();
  const stop = AbortSignal.any([ctx.signal, quit.signal]);
  const paint = await loadPaint(ctx.terminal.colour.output);
  const fleet = new Fleet(shown);
  let ui: Ui = { ...FIRST_UI, sort };
  let drawing: Promise<void> = Promise.resolve();

  const drawNow = async (): Promise<void> => {
    const times = { now: ctx.clock.monotonic(), serviceNow: ctx.serviceNow() };
    const input = { fleet, ui, ...times, canSelect: screen.hasKeys, output: ctx.output };
    await screen.draw(fleet.intervalMs > 0 ? await screenLines(input, screen, paint) : [say`reading...`]);
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
      const { pods = [], endpoints = [] } = listed(rowsOf(fleet, ctx.clock.monotonic()), ui.sort, ui.filter);
      const keys = [...pods, ...endpoints].map((row) => row.key);
      ui = pressed(ui, key, keys, Math.max(1, screen.rows - 6));
      if (ui.quit) quit.abort(new Error('the user quit'));
      drawSoon();
    },
    onResize: drawSoon,
  });
  try {
    await draw();
    for (;;) {
      if (!ui.paused) await untilAborted(stop, fleet.read(ctx, wantedMs));
      const readAt = ctx.clock.monotonic();
      for (;;) {
        await draw();
        const left = readAt + fleet.intervalMs - ctx.clock.monotonic();
        if (left <= 0 && !ui.paused) break;
        await every(ctx, left <= 0 ? REDRAW_MS : Math.min(left, REDRAW_MS), { requests: 0, signal: stop });
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
