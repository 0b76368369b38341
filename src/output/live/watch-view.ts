import type { Key, Sink } from '../../core/context.ts';
import { encodeJson, isObject, type Json } from '../../core/json.ts';
import { type SafeText, say, type TerminalText } from '../../core/safe-text.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { formatDuration } from '../../core/units.ts';
import { paintAll } from '../cell-text.ts';
import { isTableOutput } from '../formats/format-table.ts';
import { keyStep, type LiveScreen, openLiveScreen, type Window, windowOf, type WindowOptions } from './screen.ts';
import { openRows, render, type RowWriter } from '../render.ts';
import { loadPaint } from '../text/colour.ts';
import { ellipsize } from '../text/text-width.ts';
import { wrapMessage } from '../text/wrap-message.ts';
import { trusted } from '../trusted.ts';
import { type Output, type OutputOptions, type Result, rowsOf, type Tone, type View } from '../view.ts';

export interface WatchView {
  /** Fails as `render` does. */
  show(result: Result): Promise<void>;
  stale(message: string, ageMs: Milliseconds): Promise<void>;
  /** Leaves the last frame on the terminal, or the complete last result when the watch has ended. */
  close(whole: boolean): Promise<void>;
}

interface WatchOptions {
  readonly intervalMs: Milliseconds;
  readonly onQuit: () => void;
}

type WatchOutput = Output & { readonly signal: AbortSignal };

function appendingView(options: OutputOptions, output: Output): WatchView {
  const hasRows = options.jq === undefined && (options.format === 'jsonl' || options.format === 'csv');
  return { ...(hasRows ? timedRows(options, output) : changedResults(options, output)), stale: sayStale(output) };
}

function sayStale({ stderr }: Output): WatchView['stale'] {
  let said = '';
  return async (message, ageMs) => {
    if (message === said) return;
    said = message;
    await stderr.write(say`${message}; the last values are ${formatDuration(ageMs)} old; polling continues\n`);
  };
}

type ResultPrinter = Omit<WatchView, 'stale'>;

/** One line for each row of each poll, with the service's time. */
function timedRows(options: OutputOptions, output: Output): ResultPrinter {
  const { fields } = options;
  let rows: RowWriter | undefined;
  const open = (view: View): RowWriter =>
    (rows ??= openRows(
      { ...view, members: ['at', ...(view.members ?? [])] },
      fields === undefined ? options : { ...options, fields: ['at', ...fields] },
      output,
    ));
  return {
    show: async (result) => {
      if (result.kind !== 'one' && result.kind !== 'many') return;
      const at = new Date(output.serviceNow()).toISOString();
      for (const row of rowsOf(result)) await open(result.view).row(timed(at, row));
    },
    close: async () => {
      await rows?.close();
    },
  };
}

const timed = (at: string, row: Json): Json => ({ at, ...(isObject(row) ? row : { value: row }) });

function changedResults(options: OutputOptions, output: Output): ResultPrinter {
  let last: string | undefined;
  const separator = isTableOutput(options) ? say`\n` : options.format === 'yaml' ? say`---\n` : say``;
  return {
    show: async (result) => {
      const current = fingerprint(result);
      if (current === last) return;
      if (last !== undefined) await output.stdout.write(separator);
      last = current;
      await render(result, options, output);
    },
    close: async () => undefined,
  };
}

/** Returns text that changes with a result's data. A row whose age only increased counts as unchanged. */
function fingerprint(result: Result): string {
  if (result.kind === 'one') return encodeJson(result.value);
  if (result.kind === 'many') return encodeJson(result.values);
  return result.kind === 'text' ? result.text : '';
}

async function redrawingView(
  options: OutputOptions,
  output: WatchOutput,
  { intervalMs, onQuit }: WatchOptions,
): Promise<WatchView> {
  const paint = await loadPaint(output.terminal.colour.output);
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

  const windowOptions = (shown: Result): WindowOptions => ({
    header: shown.kind === 'many' ? 1 : 0,
    offset,
    // One row for the cursor below the frame, one for the footer.
    rows: screen.rows - 2,
    columns: screen.columns,
  });

  const draw = async (): Promise<void> => {
    if (result === undefined) return;
    const lines = await renderToLines(result, options, output, screen.columns);
    const window = windowOf(lines, windowOptions(result));
    [offset, page] = [window.offset, window.shown];
    await screen.draw([...window.lines, footer(window)]);
  };
  /** Waits for the previous draw, so that frames do not mix. */
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
    show: async (next) => {
      result = next;
      trouble = undefined;
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
      const lines = await renderToLines(result, options, output, screen.columns);
      const part = windowOf(lines, windowOptions(result));
      await screen.close(whole ? lines : part.lines);
    },
  };
}

function positionOf({ offset, shown, all }: Window, hasKeys: boolean): readonly SafeText[] | undefined {
  if (shown >= all) return undefined;
  return hasKeys
    ? [say`lines ${offset + 1} to ${offset + shown} of ${all}: arrows scroll`]
    : [say`${all - shown} lines do not fit`];
}

async function renderToLines(
  result: Result,
  options: OutputOptions,
  output: Output,
  columns: number,
): Promise<readonly TerminalText[]> {
  const buffer = textBuffer();
  await render(result, options, { ...output, stdout: buffer, stderr: buffer });
  const notes = (result.notes ?? []).map((note) => `${wrapMessage(note, output.settings, columns)}\n`);
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

/** Tables are redrawn; JSON lines and CSV print every row with `at`; others skip unchanged results. */
export const openWatchView = async (
  options: OutputOptions,
  output: WatchOutput,
  watch: WatchOptions,
): Promise<WatchView> =>
  output.terminal.output && output.terminal.redraws && isTableOutput(options)
    ? await redrawingView(options, output, watch)
    : appendingView(options, output);
