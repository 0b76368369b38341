import type { Blocking, SuspendHooks } from '../../core/context.ts';
import { interrupted } from '../../core/failure.ts';
import { isHangupIgnored } from './ignored-hangup.ts';

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

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
  const interruptible = CAN_INTERRUPT ? interruptibleRunner() : runDirectly;
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
        return interruptible(work);
      } finally {
        for (const { signal, listener } of paused) process.on(signal, listener);
      }
    },
  };
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Whether `vm` can interrupt WebAssembly. It cannot in the single executable, which has another engine than Node. */
const CAN_INTERRUPT = process.versions['bun'] === undefined;

/** The signals that end the process at once during blocking work. */
const NOT_HANDLED_WHILE_BLOCKING: readonly StopSignal[] = CAN_INTERRUPT ? ['SIGTERM', 'SIGHUP'] : STOP_SIGNALS;

/** Runs work in a `vm` script, during which Node handles Ctrl-C on another thread. Fails with interrupted (130). */
function interruptibleRunner(): Blocking {
  let prepared: { readonly sandbox: { work?: () => unknown }; readonly run: () => unknown } | undefined;
  const prepare = (): NonNullable<typeof prepared> => {
    const { createContext, Script } = process.getBuiltinModule('node:vm');
    const sandbox = createContext({}) as { work?: () => unknown };
    const script = new Script('work()');
    return { sandbox, run: () => script.runInContext(sandbox, { breakOnSigint: true }) as unknown };
  };
  return <T>(work: () => T): T => {
    const { sandbox, run } = (prepared ??= prepare());
    sandbox.work = work;
    try {
      return run() as T;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED') throw interrupted('SIGINT');
      throw error;
    }
  };
}

const runDirectly: Blocking = (work) => work();

/** Handles Ctrl-Z and Ctrl-\\: calls the hooks, then the default action. Returns the function that adds hooks. */
function suspendHandlers(): (hooks: SuspendHooks) => () => void {
  const hooksAdded = new Set<SuspendHooks>();
  let stopped = false;
  const callSuspend = (): void => {
    for (const { suspend } of hooksAdded) suspend();
  };
  const stop = (): void => {
    stopped = true;
    callSuspend();
    // Without a listener the system suspends the process, except in an orphaned process group.
    process.off('SIGTSTP', stop);
    process.kill(process.pid, 'SIGTSTP');
  };
  const onContinue = (): void => {
    if (stopped) process.on('SIGTSTP', stop);
    stopped = false;
    for (const { resume } of hooksAdded) resume();
  };
  const quit = (): void => {
    callSuspend();
    process.off('SIGQUIT', quit);
    process.kill(process.pid, 'SIGQUIT');
  };
  const listen = (change: 'on' | 'off'): void => {
    process[change]('SIGTSTP', stop);
    process[change]('SIGCONT', onContinue);
    process[change]('SIGQUIT', quit);
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
