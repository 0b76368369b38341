/** The screen of top: reads, draws and takes keys until q. */
import { lineText, logRequest, rowOf, SeenEvents } from '../../cli/logs.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { ENDPOINTS, PODS } from '../../cli/resource/collections.ts';
import { untilAborted } from '../../cli/run/until-aborted.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isInterrupt, messageOf } from '../../core/failure.ts';
import { stringAt } from '../../core/json.ts';
import { say } from '../../core/safe-text.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { type LiveScreen, openLiveScreen } from '../../output/live/screen.ts';
import { loadPaint } from '../../output/text/colour.ts';
import type { Result } from '../../output/view.ts';
import { listWorkers } from '../endpoints/workers.ts';
import { Fleet, type Shown } from './fleet.ts';
import { type Row, rowKey, type Sort } from './rows.ts';
import { listed, type ScreenInput, screenLines } from './screen.ts';
import { FIRST_UI, pressed, selectedOf, type Ui } from './ui.ts';

const REDRAW_MS: Milliseconds = 1000;

/** Quit ends 0, Ctrl-C 130, SIGTERM 143. Request failures end it only until something was read. */
export async function live(ctx: CommandContext, shown: Shown, sort: Sort, wantedMs: Milliseconds): Promise<Result> {
  const quit = new AbortController();
  const stop = AbortSignal.any([ctx.signal, quit.signal]);
  const paint = await loadPaint(ctx.terminal.colour.output);
  const fleet = new Fleet(shown);
  let ui: Ui = { ...FIRST_UI, sort };
  let log: LogPage | undefined;
  let drawing: Promise<void> = Promise.resolve();

  const input = (): ScreenInput => ({
    ...{ fleet, ui, log: log?.lines ?? [], canSelect: screen.hasKeys, output: ctx.output },
    now: ctx.clock.monotonic(),
    serviceNow: ctx.serviceNow(),
  });
  // One frame after the other.
  const draw = (): Promise<void> => {
    drawing = drawing
      .catch(() => undefined)
      .then(async () => {
        await screen.draw(fleet.intervalMs > 0 ? await screenLines(input(), screen, paint) : [say`reading...`]);
      });
    return drawing;
  };
  // If the terminal is gone, the next drawing in the loop fails too and ends the command.
  const drawSoon = (): void => {
    draw().catch(() => undefined);
  };
  const screen: LiveScreen = await openLiveScreen(ctx, {
    kind: 'full',
    onKey: (key) => {
      const { rows, keys } = listed(input());
      ui = pressed(ui, key, keys, Math.max(1, screen.rows - 6));
      if (ui.quit) quit.abort(new Error('the user quit'));
      const selected = ui.mode === 'logs' ? selectedOf(ui, keys) : undefined;
      const row = rows.find((each) => rowKey(each) === selected);
      if (log?.of !== selected) {
        log?.close();
        log = row === undefined ? undefined : openLogPage(ctx, row, drawSoon);
      }
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
        await ctx.clock.sleep(left <= 0 ? REDRAW_MS : Math.min(left, REDRAW_MS), stop);
      }
    }
  } catch (error) {
    if (quit.signal.aborted && error === quit.signal.reason) return { kind: 'nothing' };
    if (ctx.signal.aborted && isInterrupt(error)) return { kind: 'nothing', exit: error.exit };
    throw error;
  } finally {
    log?.close();
    await screen.close();
  }
}

interface LogPage {
  readonly of: string;
  readonly lines: readonly string[];
  close(): void;
}

const MAX_LINES = 500;
/** Reconnects after silence: a page that was left ends then. */
const IDLE_MS: Milliseconds = 3000;
const PAUSE_MS: Milliseconds = 1000;

/** Follows the log of a pod, or of the first worker of an endpoint. */
function openLogPage(ctx: CommandContext, row: Row, onLine: () => void): LogPage {
  let lines: readonly string[] = [];
  const closed = new AbortController();
  const isClosed = (): boolean => closed.signal.aborted;
  const add = (line: string): void => {
    if (lines.at(-1) !== line) lines = [...lines, line].slice(-MAX_LINES);
    if (!isClosed()) onLine();
  };
  const follow = async (): Promise<void> => {
    const path = row.kind === 'pod' ? [...PODS.path, row.id, 'logs'] : await workerPath(ctx, row.id, add);
    const seen = new SeenEvents();
    while (path !== undefined && !isClosed() && !ctx.signal.aborted) {
      const query = { source: undefined, tail: MAX_LINES, since: undefined, after: seen.cursor };
      const request = logRequest({ path, id: row.id, live: () => Promise.resolve(true) }, query);
      try {
        for await (const event of ctx.api.events({ ...request, idleTimeoutMs: IDLE_MS })) {
          if (isClosed()) return;
          if (seen.isNew(event)) add(lineText(rowOf(event), 'utc', ctx.serviceNow()));
        }
      } catch (error) {
        if (!(error instanceof Failure) || error.exit !== EXIT.unavailable) throw error;
        add(error.message);
      }
      seen.reconnect();
      await ctx.clock.sleep(PAUSE_MS, ctx.signal);
    }
  };
  void follow().catch((error: unknown) => {
    if (!ctx.signal.aborted) add(messageOf(error));
  });
  return {
    of: rowKey(row),
    get lines() {
      return lines;
    },
    close: () => {
      closed.abort();
    },
  };
}

async function workerPath(
  ctx: CommandContext,
  endpoint: string,
  add: (line: string) => void,
): Promise<readonly string[] | undefined> {
  const { workers } = await listWorkers(ctx, endpoint);
  const [first, ...others] = workers.flatMap((worker) => stringAt(worker, 'id') ?? []);
  add(first === undefined ? 'no worker' : `worker ${first}${others.length === 0 ? '' : ` (of ${others.length + 1})`}`);
  return first === undefined ? undefined : [...ENDPOINTS.path, endpoint, 'workers', first, 'logs'];
}
