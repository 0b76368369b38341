import { EXIT } from '../../core/exit-codes.ts';
import { interrupted } from '../../core/failure.ts';
import type { StopSignal } from '../runtime/signals.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** The signals that end a command: SIGINT (Ctrl-C), SIGTERM, SIGHUP and SIGQUIT (Ctrl-\\). */
export interface Interrupt {
  /** Aborted by the first signal; its reason is the interrupted Failure (130 or 143). */
  readonly signal: AbortSignal;
  /** Passes signals to a listener instead, while a child process shares the terminal. Returns a function that ends it. */
  redirect(listener: (signal: StopSignal) => void): () => void;
  /**
   * Calls a listener on the second signal instead of ending the process; the third signal ends it. There may be several.
   * Returns a function that removes the listener.
   */
  onSecond(listener: () => void): () => void;
  /** Stops listening. */
  close(): void;
}

/** Starts listening. The first signal aborts the command; the second ends the process immediately. */
export function listenForInterrupt(runtime: Pick<Runtime, 'signals' | 'exit'>): Interrupt {
  const controller = new AbortController();
  let redirected: ((signal: StopSignal) => void) | undefined;
  const second = new Set<() => void>();
  const close = runtime.signals.on((signal) => {
    if (redirected !== undefined) redirected(signal);
    else if (!controller.signal.aborted) controller.abort(interrupted(signal));
    else if (second.size === 0) runtime.exit(signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated);
    else {
      const listeners = [...second];
      second.clear();
      for (const listener of listeners) listener();
    }
  });
  return {
    signal: controller.signal,
    redirect: (listener) => {
      redirected = listener;
      return () => {
        redirected = undefined;
      };
    },
    onSecond: (listener) => {
      second.add(listener);
      return () => {
        second.delete(listener);
      };
    },
    close,
  };
}
