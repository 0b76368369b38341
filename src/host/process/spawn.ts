import { join } from 'node:path';
import type { Spawn } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { interrupted } from '../../core/failure.ts';
import { makeDirectory } from '../../core/regular-files.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { StopSignal } from '../runtime/signals.ts';

/** Ctrl-C reaches the program directly; other signals are passed on. Usage (2) for a missing program. */
export function createSpawn(runtime: Runtime, interrupt: Interrupt, dataDirectory: () => string): Spawn {
  const sshFolder = async (): Promise<string> => {
    const folder = join(dataDirectory(), 'ssh');
    makeDirectory(folder, 0o700);
    return folder;
  };
  // Loaded here: most commands start no program.
  const programs = () => import('./programs.ts');
  return {
    start: async (...given) => (await programs()).startProgram(runtime, ...given),
    get self() {
      return runtime.program;
    },
    connect: async (...given) => (await programs()).connectStreams(runtime, ...given),
    freePort: async (...given) => (await programs()).freePort(...given),
    accountHome: () => runtime.accountHome(),
    companion: (argv) => runtime.companion(argv),
    knownHosts: async () => join(await sshFolder(), 'known_hosts'),
    ownKeys: async () => (await programs()).ownKeys(runtime, await sshFolder()),
    run: async (...given) =>
      (await programs()).runProgram(runtime, (listener) => interrupt.redirect(listener), ...given),
  };
}

interface Interrupt {
  /** Its reason is the interrupted Failure (130 or 143). */
  readonly signal: AbortSignal;
  /** While a child process shares the terminal. Returns a function that ends it. */
  redirect(listener: (signal: StopSignal) => void): () => void;
  /** Instead of ending the process; the third signal ends it. Returns a function that removes it. */
  onSecond(listener: () => void): () => void;
  close(): void;
}

/** The first signal aborts the command; the second ends the process immediately. */
export function listenForInterrupt(runtime: Pick<Runtime, 'signals' | 'exit'>): Interrupt {
  const controller = new AbortController();
  let redirected: ((signal: StopSignal) => void) | undefined;
  let second: (() => void) | undefined;
  const close = runtime.signals.on((signal) => {
    if (redirected !== undefined) redirected(signal);
    else if (!controller.signal.aborted) controller.abort(interrupted(signal));
    else if (second === undefined) runtime.exit(signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated);
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
