import { constants, readFileSync, readlinkSync } from 'node:fs';
import type { Blocking, SuspendHooks } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { interrupted } from '../../core/failure.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const ACCESS_MODE = 3;

/** Whether `nohup` started this. Node resets that at start, so detected by `_` and stdin. */
export const isHangupIgnored = (env: Environment): boolean =>
  /(^|\/)nohup$/.test(env['_'] ?? '') || isNullDevice(0, constants.O_WRONLY);

/** Linux only: whether a standard stream is the null device, opened in this mode (`O_WRONLY`, ...). */
export function isNullDevice(descriptor: number, mode: number): boolean {
  try {
    if (readlinkSync(`/proc/self/fd/${String(descriptor)}`) !== '/dev/null') return false;
    const info = readFileSync(`/proc/self/fdinfo/${String(descriptor)}`, 'utf8');
    return (Number.parseInt(/^flags:\s*([0-7]+)$/m.exec(info)?.[1] ?? '', 8) & ACCESS_MODE) === mode;
  } catch {
    return false;
  }
}

const suspendHooks = new Set<SuspendHooks>();
let isSuspended = false;

/** For Ctrl-Z: calls the hooks, then the default action. */
function suspend(): void {
  isSuspended = true;
  for (const hooks of suspendHooks) hooks.suspend();
  // Without a listener the system suspends the process, except in an orphaned process group.
  process.off('SIGTSTP', suspend);
  process.kill(process.pid, 'SIGTSTP');
}

function resume(): void {
  if (isSuspended) process.on('SIGTSTP', suspend);
  isSuspended = false;
  for (const hooks of suspendHooks) hooks.resume();
}

function listenForSuspend(change: 'on' | 'off'): void {
  process[change]('SIGTSTP', suspend);
  process[change]('SIGCONT', resume);
}

export type StopSignal = (typeof STOP_SIGNALS)[number];

export interface Signals {
  /** Replaces Node's default action. Returns a function that removes the listener. */
  on(listener: (signal: StopSignal) => void): () => void;
  onSuspend(hooks: SuspendHooks): () => void;
  readonly blocking: Blocking;
  /** To the process group, as the terminal does for Ctrl-C, Ctrl-Z and Ctrl-\\. */
  raise(signal: KeySignal): void;
}

export type KeySignal = 'SIGINT' | 'SIGTSTP' | 'SIGQUIT';

/** Includes SIGQUIT: its default action writes a core file, which contains the key. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

const stopListeners = new Set<(signal: StopSignal) => void>();

function listenForStop(change: 'on' | 'off', listener: (signal: StopSignal) => void): void {
  for (const signal of STOP_SIGNALS) process[change](signal, listener);
}

export const realSignals: Signals = {
  on: (listener) => {
    const handle = (signal: StopSignal): void => {
      if (signal !== 'SIGHUP' || !isHangupIgnored(process.env)) listener(signal);
    };
    stopListeners.add(handle);
    listenForStop('on', handle);
    return () => {
      stopListeners.delete(handle);
      listenForStop('off', handle);
    };
  },
  onSuspend: (hooks) => {
    if (process.platform === 'win32') return () => undefined;
    if (suspendHooks.size === 0) listenForSuspend('on');
    suspendHooks.add(hooks);
    return () => {
      if (suspendHooks.delete(hooks) && suspendHooks.size === 0) listenForSuspend('off');
    };
  },
  raise: (signal) => {
    process.kill(process.platform === 'win32' ? process.pid : 0, signal);
  },
  blocking: (work) => {
    // While no listener is installed, the system ends the process.
    const paused = [...stopListeners];
    for (const handle of paused) listenForStop('off', handle);
    try {
      return work();
    } finally {
      for (const handle of paused) listenForStop('on', handle);
    }
  },
};

interface Interrupt {
  /** Its reason is the interrupted Failure (130 or 143). */
  readonly signal: AbortSignal;
  /** While a child process shares the terminal. Returns a function that ends it. */
  readonly redirect: (listener: (signal: StopSignal) => void) => () => void;
  /** Instead of ending the process; the third signal ends it. Returns a function that removes it. */
  onSecond(listener: () => void): () => void;
  close(): void;
}

/** The first signal aborts the command; the second ends the process immediately. */
export function listenForInterrupt(signals: Signals, exit: (code: number) => void): Interrupt {
  const controller = new AbortController();
  let redirected: ((signal: StopSignal) => void) | undefined;
  let second: (() => void) | undefined;
  const close = signals.on((signal) => {
    if (redirected !== undefined) redirected(signal);
    else if (!controller.signal.aborted) controller.abort(interrupted(signal));
    else if (second === undefined) exit(signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated);
    else {
      second();
      second = undefined;
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
      second = listener;
      return () => {
        second = undefined;
      };
    },
    close,
  };
}
