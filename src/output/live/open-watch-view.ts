import { isTableOutput } from '../formats/format-table.ts';
import type { OutputOptions } from '../view.ts';
import { appendingView } from './appending-watch-view.ts';
import { redrawingView } from './redrawing-view.ts';
import type { WatchOptions, WatchOutput, WatchView } from './watch-view.ts';

/**
 * Opens the view of `--watch`. A table on a terminal that redraws is redrawn in place. Every other output prints one result after the
 * other: JSON lines and CSV each row of each poll, with the time `at`; the others skip a result whose data did not change.
 * `signal` is the user's interrupt: it restores the terminal at once.
 */
export const openWatchView = async (
  options: OutputOptions,
  output: WatchOutput,
  watch: WatchOptions,
): Promise<WatchView> =>
  output.terminal.output && output.terminal.redraws && isTableOutput(options)
    ? await redrawingView(options, output, watch)
    : appendingView(options, output);
