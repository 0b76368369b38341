import type { Key, Sink } from '../../core/context.ts';
import { say, type SafeText, type TerminalText } from '../../core/safe-text.ts';
import { formatDuration } from '../../core/units.ts';
import { paintAll } from '../cells/cell-text.ts';
import { loadPaint } from '../text/colour.ts';
import { ellipsize } from '../text/text-width.ts';
import { wrapLine } from '../text/wrap-message.ts';
import type { Output } from '../output.ts';
import { render } from '../print/render.ts';
import { trusted } from '../trusted.ts';
import type { OutputOptions, Result, Sample, Tone } from '../view.ts';
import { openLiveScreen, type LiveScreen } from './live-screen.ts';
import { keyStep, windowOf, type Window, type WindowOptions } from './scroll.ts';
import type { WatchOptions, WatchOutput, WatchView } from './watch-view.ts';

/** How many polls a watch remembers. */
const MAX_SAMPLES = 60;

/** Draws each result in place of the last one, with a line below that says how the watch goes on. */
export async function redrawingView(
  options: OutputOptions,
  output: WatchOutput,
  { intervalMs, onQuit }: WatchOptions,
): Promise<WatchView> {
  const paint = await loadPaint(output.terminal.colour.output);
  let samples: readonly Sample[] = [];
  let result: Result | undefined;
  let trouble: string | undefined;
  let offset = 0;
  let page = 1;
  let drawing: Promise<void> = Promise.resolve();

  const footer = (window: Window): TerminalText => {
    const [text, tone]: readonly [SafeText, Tone] =
      trouble === undefined ? [say`every ${formatDuration(intervalMs)}`, 'quiet'] : [say`${trouble}`, 'warn'];
    const help = [...(screen.hasKeys ? [say`q ends`] : []), ...(positionOf(window, screen.hasKeys) ?? [])];
    const pieces = [
      { text, tone },
      { text: say`; ${help.length === 0 ? 'Ctrl-C ends' : help.join('; ')}`, tone: 'quiet' as const },
    ];
    return paintAll(ellipsize(pieces, screen.columns - 1), paint);
  };

  const windowOptions = (shown: Result, lines: readonly string[]): WindowOptions => ({
    header: headerLines(shown, lines),
    offset,
    // One row for the cursor below the frame, one for the footer.
    rows: screen.rows - 2,
    columns: screen.columns,
  });

  const draw = async (): Promise<void> => {
    if (result === undefined) return;
    const lines = await renderToLines(liveResult(result, samples, screen.columns), options, output, screen.columns);
    const window = windowOf(lines, windowOptions(result, lines));
    [offset, page] = [window.offset, window.shown];
    await screen.draw([...window.lines, footer(window)]);
  };
  /** Draws after the drawing that is going on, so that frames do not mix. */
  const redraw = (): Promise<void> => {
    drawing = drawing.catch(() => undefined).then(draw);
    return drawing;
  };
  // Where a redraw between two polls fails, the next poll fails too and ends the watch.
  const redrawSoon = (): void => {
    redraw().catch(() => undefined);
  };

  const screen: LiveScreen = await openLiveScreen(output, {
    kind: 'inline',
    onKey: (key: Key) => {
      const step = keyStep(key, page);
      if (key.name === 'q') onQuit();
      else if (step !== undefined) {
        offset = Math.max(0, offset + step);
        redrawSoon();
      }
    },
    onResize: redrawSoon,
  });
  return {
    show: async (next, at) => {
      result = next;
      trouble = undefined;
      if (next.kind === 'one') samples = [...samples, { row: next.value, at }].slice(-MAX_SAMPLES);
      await redraw();
    },
    stale: async (message, ageMs) => {
      trouble = `${formatDuration(ageMs)} old: ${message}`;
      await redraw();
    },
    close: async (whole) => {
      await drawing.catch(() => undefined);
      if (result === undefined) {
        await screen.close();
        return;
      }
      const lines = await renderToLines(liveResult(result, samples, screen.columns), options, output, screen.columns);
      const part = windowOf(lines, windowOptions(result, lines));
      await screen.close(whole ? lines : part.lines);
    },
  };
}

/** Where the window is, when it does not show everything. */
function positionOf({ offset, shown, all }: Window, hasKeys: boolean): readonly SafeText[] | undefined {
  if (shown >= all) return undefined;
  return hasKeys
    ? [say`lines ${offset + 1} to ${offset + shown} of ${all}: arrows scroll`]
    : [say`${all - shown} lines do not fit`];
}

/** The lines that stay while a list is keyStep: its header, with the border around it. */
const headerLines = (result: Result, [first = '']: readonly string[]): number =>
  result.kind !== 'many' ? 0 : first.startsWith('┌') ? 3 : 1;

/** A row with a live view is shown by that. */
function liveResult(result: Result, samples: readonly Sample[], columns: number): Result {
  if (result.kind !== 'one') return result;
  const { live } = result.view;
  if (live === undefined) return result;
  return { ...result, view: { ...result.view, detail: (row, facts) => live(row, { ...facts, samples, columns }) } };
}

/** Returns everything that a result prints, on stdout and on stderr, as lines. */
async function renderToLines(
  result: Result,
  options: OutputOptions,
  output: Output,
  columns: number,
): Promise<readonly TerminalText[]> {
  const buffer = textBuffer();
  await render(result, options, { ...output, stdout: buffer, stderr: buffer });
  const notes = (result.notes ?? []).map((note) => `${wrapLine(note, output.settings, columns)}\n`);
  return (buffer.text() + notes.join(''))
    .split('\n')
    .slice(0, -1)
    .map((line) => trusted(line));
}

function textBuffer(): Sink & { text(): string } {
  const parts: string[] = [];
  return {
    write: async (text) => {
      parts.push(text);
    },
    text: () => parts.join(''),
  };
}
