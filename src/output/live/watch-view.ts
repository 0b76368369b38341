import type { Output } from '../output.ts';
import type { Result } from '../view.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

/** The view of `--watch`: shows the result of each poll. */
export interface WatchView {
  /** Shows the result of a poll; `at` is the monotonic time of its answer. Fails as `render` does. */
  show(result: Result, at: Milliseconds): Promise<void>;
  /** Says that a poll failed and how old what is shown is. */
  stale(message: string, ageMs: Milliseconds): Promise<void>;
  /**
   * Restores the terminal and leaves the last result on it: what was on the screen, or with `whole` all of it, because
   * the watch has ended and it is the result.
   */
  close(whole: boolean): Promise<void>;
}

/** How a watch is shown. */
export interface WatchOptions {
  readonly intervalMs: Milliseconds;
  /** The user pressed q. */
  readonly onQuit: () => void;
}

export type WatchOutput = Output & { readonly signal: AbortSignal };
