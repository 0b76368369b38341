import { isInterrupt } from '../../core/failure.ts';
import { say } from '../../core/safe-text.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { loadPaint } from '../../output/text/colour.ts';
import { type LiveScreen, openLiveScreen } from '../../output/live/screen.ts';
import type { Result } from '../../output/view.ts';
import { type LogPage, openLogPage } from './log-page.ts';
import type { Sort } from './rows.ts';
import type { Shown } from './schedule.ts';
import { type ScreenInput, screenLines, screenRows } from './screen.ts';
import { FIRST_SESSION, nextTick } from './session.ts';
import { FIRST_UI, pressed, selectedOf, type Ui } from './ui.ts';
import { untilAborted } from '../../cli/run/until-aborted.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

const REDRAW_MS: Milliseconds = 1000;

/** Quit ends 0, Ctrl-C 130, SIGTERM 143. Request failures end it only until something was read. */
export async function live(ctx: CommandContext, shown: Shown, sort: Sort, wantedMs: Milliseconds): Promise<Result> {
  const quit = new AbortController();
  const stop = AbortSignal.any([ctx.signal, quit.signal]);
  const paint = await loadPaint(ctx.terminal.colour.output);
  let session = FIRST_SESSION;
  let ui: Ui = { ...FIRST_UI, sort };
  let log: { readonly of: string; readonly page: LogPage } | undefined;

  const input = (): ScreenInput => ({
    session,
    shown,
    ui,
    now: ctx.clock.monotonic(),
    serviceNow: ctx.serviceNow(),
    log: log?.page.lines ?? [],
    canSelect: screen.hasKeys,
    output: ctx.output,
  });
  const draw = async (): Promise<void> => {
    await screen.draw(session.intervalMs > 0 ? screenLines(input(), screen, paint) : [say`reading...`]);
  };
  // If the terminal is gone, the next drawing in the loop fails too and ends the command.
  const drawSoon = (): void => {
    draw().catch(() => undefined);
  };
  const followMode = (): void => {
    const rows = screenRows(input());
    const selected = ui.mode === 'logs' ? selectedOf(ui, rows.keys) : undefined;
    if (log?.of === selected) return;
    log?.page.close();
    const row = rows.find(selected);
    log =
      selected === undefined || row === undefined ? undefined : { of: selected, page: openLogPage(ctx, row, drawSoon) };
  };
  const screen: LiveScreen = await openLiveScreen(ctx, {
    kind: 'full',
    onKey: (key) => {
      ui = pressed(ui, key, screenRows(input()).keys, Math.max(1, screen.rows - 6));
      if (ui.quit) quit.abort(new Error('the user quit'));
      followMode();
      drawSoon();
    },
    onResize: drawSoon,
  });
  try {
    await draw();
    for (;;) {
      if (!ui.paused) session = await untilAborted(stop, nextTick(ctx, session, shown, wantedMs));
      const readAt = ctx.clock.monotonic();
      for (;;) {
        await draw();
        const left = readAt + session.intervalMs - ctx.clock.monotonic();
        if (left <= 0 && !ui.paused) break;
        await ctx.clock.sleep(left <= 0 ? REDRAW_MS : Math.min(left, REDRAW_MS), stop);
      }
    }
  } catch (error) {
    if (quit.signal.aborted && error === quit.signal.reason) return { kind: 'nothing' };
    if (ctx.signal.aborted && isInterrupt(error)) return { kind: 'nothing', exit: error.exit };
    throw error;
  } finally {
    log?.page.close();
    await screen.close();
  }
}
