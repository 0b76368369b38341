import { constants, readFileSync, readlinkSync } from 'node:fs';
import type { Blocking, SuspendHooks } from '../../core/context.ts';
import { interrupted } from '../../core/failure.ts';
import { errorCode } from '../../core/files.ts';

/** `vm` cannot interrupt WebAssembly in the single executable, which has another engine than Node. */
const CAN_INTERRUPT = process.versions['bun'] === undefined;

/** Ctrl-C interrupts the work where that is possible. */
const workRunner = (): Blocking => (CAN_INTERRUPT ? interruptibleRunner() : (work) => work());

/** In a `vm` script Node handles Ctrl-C on another thread. Fails with interrupted (130). */
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
      if (errorCode(error) === 'ERR_SCRIPT_EXECUTION_INTERRUPTED') throw interrupted('SIGINT');
      throw error;
    }
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

const SIGHUP_BIT = 1n;
const ACCESS_MODE = 3;

/** Node resets it at start, so detected by `_`, stdin and the parent. Reads files: call on the signal. */
export function isHangupIgnored(env: Environment, parent: number): boolean {
  return /(^|\/)nohup$/.test(env['_'] ?? '') || isNullDevice(0, constants.O_WRONLY) || ignoresHangup(parent);
}

/** Linux only: whether a standard stream is the null device, opened in this mode (`O_WRONLY`, ...). */
export function isNullDevice(descriptor: number, mode: number): boolean {
  const flags = matchInFile(`/proc/self/fdinfo/${String(descriptor)}`, /^flags:\s*([0-7]+)$/m);
  if (flags === undefined || (Number.parseInt(flags, 8) & ACCESS_MODE) !== mode) return false;
  try {
    return readlinkSync(`/proc/self/fd/${String(descriptor)}`) === '/dev/null';
  } catch {
    return false;
  }
}

function ignoresHangup(process: number): boolean {
  // Process 1 adopts orphans; it did not start this process.
  if (process <= 1) return false;
  const mask = matchInFile(`/proc/${String(process)}/status`, /^SigIgn:\s*([0-9a-f]+)$/m);
  return mask !== undefined && (BigInt(`0x${mask}`) & SIGHUP_BIT) !== 0n;
}

function matchInFile(path: string, pattern: RegExp): string | undefined {
  try {
    return pattern.exec(readFileSync(path, 'utf8'))?.[1];
  } catch {
    return undefined;
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

/** Includes SIGQUIT: its default action writes a core file, which contains the key. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** They end the process at once during blocking work. */
const NOT_HANDLED_WHILE_BLOCKING: readonly StopSignal[] = CAN_INTERRUPT ? ['SIGTERM', 'SIGHUP'] : STOP_SIGNALS;
