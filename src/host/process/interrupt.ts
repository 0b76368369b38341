import { EXIT } from '../../core/exit-codes.ts';
import { interrupted } from '../../core/failure.ts';
import type { StopSignal } from './signals.ts';
import type { Runtime } from '../runtime.ts';

/** Ctrl-C, the polite kill, and the end of the terminal. */
export interface Interrupt {
  /** Aborted by the first of them; its reason is the interrupted Failure (130 or 143). */
  readonly signal: AbortSignal;
  /** Hands the signals to somebody else for a while: a child process that shares the terminal. Returns how to end it. */
  lend(listener: (signal: StopSignal) => void): () => void;
  /**
   * Has the second signal heard by somebody who ends soon, in place of ending the process; the third one does that.
   * Returns how to end it.
   */
  onSecond(listener: () => void): () => void;
  /** Hears no more signals. */
  close(): void;
}

/** Listens from now on. The first signal asks the command to end; the second ends the process at once. */
export function listenForInterrupt(runtime: Pick<Runtime, 'signals' | 'exit'>): Interrupt {
  const controller = new AbortController();
  let borrower: ((signal: StopSignal) => void) | undefined;
  let second: (() => void) | undefined;
  const close = runtime.signals.on((signal) => {
    if (borrower !== undefined) borrower(signal);
    else if (!controller.signal.aborted) controller.abort(interrupted(signal));
    else if (second === undefined) runtime.exit(signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated);
    else {
      const hear = second;
      second = undefined;
      hear();
    }
  });
  return {
    signal: controller.signal,
    lend: (listener) => {
      borrower = listener;
      return () => {
        borrower = undefined;
      };
    },
    onSecond: (listener) => {
      second = listener;
      return () => {
        second = undefined;
      };
    },
    close,
  };
}
