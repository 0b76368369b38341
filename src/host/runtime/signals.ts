import type { Blocking, SuspendHooks } from '../../core/context.ts';
import { CAN_INTERRUPT, workRunner } from './blocking-work.ts';
import { isHangupIgnored } from './ignored-hangup.ts';
import { suspendHandlers } from './suspend.ts';

export type StopSignal = (typeof STOP_SIGNALS)[number];

export interface Signals {
  /** Calls a listener for each signal, which replaces Node's default action. Returns a function that removes it. */
  on(listener: (signal: StopSignal) => void): () => void;
  /** See `Terminal.onSuspend`. */
  onSuspend(hooks: SuspendHooks): () => void;
  /** Runs synchronous work that a signal can interrupt. */
  readonly blocking: Blocking;
  /** Sends a signal to the process group, as the terminal does for Ctrl-C, Ctrl-Z and Ctrl-\\. */
  raise(signal: KeySignal): void;
}

/** The signals that keys of the terminal send. */
export type KeySignal = 'SIGINT' | 'SIGTSTP' | 'SIGQUIT';

/** Returns the signals of this process. */
export function realSignals(): Signals {
  const run = workRunner();
  const listeners = new Map<StopSignal, Set<(signal: StopSignal) => void>>();
  const parent = process.ppid;
  return {
    on: (listener) => {
      const handle = (signal: StopSignal): void => {
        // Node resets an ignored SIGHUP at its start, so `nohup` must be detected.
        if (signal === 'SIGHUP' && isHangupIgnored(process.env, parent)) return;
        listener(signal);
      };
      for (const signal of STOP_SIGNALS) {
        listeners.set(signal, (listeners.get(signal) ?? new Set()).add(handle));
        process.on(signal, handle);
      }
      return () => {
        for (const signal of STOP_SIGNALS) {
          listeners.get(signal)?.delete(handle);
          process.off(signal, handle);
        }
      };
    },
    onSuspend: suspendHandlers(),
    raise: (signal) => {
      process.kill(process.platform === 'win32' ? process.pid : 0, signal);
    },
    blocking: (work) => {
      // While no listener is installed, the system ends the process.
      const paused = NOT_HANDLED_WHILE_BLOCKING.flatMap((signal) =>
        signal === 'SIGHUP' && isHangupIgnored(process.env, parent)
          ? []
          : [...(listeners.get(signal) ?? [])].map((listener) => ({ signal, listener })),
      );
      for (const { signal, listener } of paused) process.off(signal, listener);
      try {
        return run(work);
      } finally {
        for (const { signal, listener } of paused) process.on(signal, listener);
      }
    },
  };
}

/** SIGQUIT is one of them because its default action leaves a core file, which has the key in it. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** The signals that end the process at once during blocking work. */
const NOT_HANDLED_WHILE_BLOCKING: readonly StopSignal[] = CAN_INTERRUPT ? ['SIGTERM', 'SIGHUP'] : STOP_SIGNALS;
