import type { Blocking, SuspendHooks } from '../../core/context.ts';
import { interrupted } from '../../core/failure.ts';
import { isHangupIgnored } from './ignored-hangup.ts';

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export interface Signals {
  /** Hears of each signal from now on, in place of Node's own answer to it; the function returned ends that. */
  on(listener: (signal: StopSignal) => void): () => void;
  /** As Terminal says. */
  onSuspend(hooks: SuspendHooks): () => void;
  readonly blocking: Blocking;
}

/** The signals of this process. */
export function realSignals(): Signals {
  const interruptible = interruptibleRunner();
  const listeners = new Map<StopSignal, Set<(signal: StopSignal) => void>>();
  const parent = process.ppid;
  return {
    on: (listener) => {
      const hear = (signal: StopSignal): void => {
        // Node resets an ignored SIGHUP when it starts, so that `nohup` is only known by its traces.
        if (signal === 'SIGHUP' && isHangupIgnored(process.env, parent)) return;
        listener(signal);
      };
      for (const signal of STOP_SIGNALS) {
        listeners.set(signal, (listeners.get(signal) ?? new Set()).add(hear));
        process.on(signal, hear);
      }
      return () => {
        for (const signal of STOP_SIGNALS) {
          listeners.get(signal)?.delete(hear);
          process.off(signal, hear);
        }
      };
    },
    onSuspend: suspension(),
    blocking: (work) => {
      // Without a listener the system ends the process.
      const paused = (['SIGTERM', 'SIGHUP'] as const).flatMap((signal) =>
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

/** Node watches for Ctrl-C by a thread of its own while a script of `vm` runs. Fails with interrupted (130). */
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

/** Ctrl-Z and Ctrl-\\, each answered as usual after everybody was told. */
function suspension(): (hooks: SuspendHooks) => () => void {
  const all = new Set<SuspendHooks>();
  let stopped = false;
  const leave = (): void => {
    for (const { suspend } of all) suspend();
  };
  const stop = (): void => {
    stopped = true;
    leave();
    // Without a listener the system stops the process, unless nobody could make it go on.
    process.off('SIGTSTP', stop);
    process.kill(process.pid, 'SIGTSTP');
  };
  const goOn = (): void => {
    if (stopped) process.on('SIGTSTP', stop);
    stopped = false;
    for (const { resume } of all) resume();
  };
  const quit = (): void => {
    leave();
    process.off('SIGQUIT', quit);
    process.kill(process.pid, 'SIGQUIT');
  };
  const listen = (change: 'on' | 'off'): void => {
    process[change]('SIGTSTP', stop);
    process[change]('SIGCONT', goOn);
    process[change]('SIGQUIT', quit);
  };
  return (hooks) => {
    if (process.platform === 'win32') return () => undefined;
    if (all.size === 0) listen('on');
    all.add(hooks);
    return () => {
      if (all.delete(hooks) && all.size === 0) listen('off');
    };
  };
}
