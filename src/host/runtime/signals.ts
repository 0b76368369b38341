import { constants, readFileSync, readlinkSync } from 'node:fs';
import type { Blocking, SuspendHooks } from '../../core/context.ts';

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

/** For Ctrl-Z: calls the hooks, then the default action. */
function suspendHandlers(): (hooks: SuspendHooks) => () => void {
  const hooksAdded = new Set<SuspendHooks>();
  let stopped = false;
  const stop = (): void => {
    stopped = true;
    for (const { suspend } of hooksAdded) suspend();
    // Without a listener the system suspends the process, except in an orphaned process group.
    process.off('SIGTSTP', stop);
    process.kill(process.pid, 'SIGTSTP');
  };
  const onContinue = (): void => {
    if (stopped) process.on('SIGTSTP', stop);
    stopped = false;
    for (const { resume } of hooksAdded) resume();
  };
  const listen = (change: 'on' | 'off'): void => {
    process[change]('SIGTSTP', stop);
    process[change]('SIGCONT', onContinue);
  };
  return (hooks) => {
    if (process.platform === 'win32') return () => undefined;
    if (hooksAdded.size === 0) listen('on');
    hooksAdded.add(hooks);
    return () => {
      if (hooksAdded.delete(hooks) && hooksAdded.size === 0) listen('off');
    };
  };
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

export function realSignals(): Signals {
  const listeners = new Set<(signal: StopSignal) => void>();
  const listen = (change: 'on' | 'off', handle: (signal: StopSignal) => void): void => {
    for (const signal of STOP_SIGNALS) process[change](signal, handle);
  };
  return {
    on: (listener) => {
      const handle = (signal: StopSignal): void => {
        if (signal !== 'SIGHUP' || !isHangupIgnored(process.env)) listener(signal);
      };
      listeners.add(handle);
      listen('on', handle);
      return () => {
        listeners.delete(handle);
        listen('off', handle);
      };
    },
    onSuspend: suspendHandlers(),
    raise: (signal) => {
      process.kill(process.platform === 'win32' ? process.pid : 0, signal);
    },
    blocking: (work) => {
      // While no listener is installed, the system ends the process.
      const paused = [...listeners];
      for (const handle of paused) listen('off', handle);
      try {
        return work();
      } finally {
        for (const handle of paused) listen('on', handle);
      }
    },
  };
}

/** Includes SIGQUIT: its default action writes a core file, which contains the key. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
