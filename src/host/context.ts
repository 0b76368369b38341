import { dirname, join } from 'node:path';
import type { Context } from '../core/context.ts';
import type { RunCli } from './again.ts';
import { type ConnectionOptions, openConnection, type OpenLocal } from './connection/connection.ts';
import type { Remembered } from './remembered.ts';
import type { Runtime } from './runtime/runtime.ts';
import { listenForInterrupt } from './runtime/signals.ts';
import { describeTerminal, openOutput } from './terminal/terminal.ts';
import type { GlobalFlags } from '../settings/resolve.ts';
import { Settings } from '../settings/settings.ts';

type AsyncFunctions<T> = { readonly [K in keyof T]: (...given: never[]) => Promise<unknown> };

/** Most commands use none of its functions: what has them is loaded with the first call of one. */
function onFirstUse<T extends AsyncFunctions<T>>(load: () => Promise<T>): T {
  let loaded: Promise<T> | undefined;
  return new Proxy({} as T, {
    get: (_, name) =>
      // It is no promise, for who awaits it.
      name === 'then' ? undefined : async (...given: never[]) => (await (loaded ??= load()))[name as keyof T](...given),
  });
}

/** Must be closed after the command: it listens for signals and may hold connections. */
export interface HostContext extends Context {
  /** Closes connections and signal handlers, unless the process exits. */
  close(): Promise<void>;
}

/** Installs only signal handlers; files, connections and code are opened when a command uses them. */
export function createContext(runtime: Runtime, flags: GlobalFlags, run?: RunCli, openLocal?: OpenLocal): HostContext {
  const { env, clock, random } = runtime;
  const interrupt = listenForInterrupt(runtime.signals, runtime.exit);
  const { signal } = interrupt;
  const userFiles = () => import('./files/user-files.ts');
  const settings = new Settings(runtime, flags, async (path) => (await userFiles()).readKeyFile(runtime, path, signal));
  const terminal = describeTerminal(runtime, settings);
  const stdout = openOutput(runtime, 'stdout');
  const errors = openOutput(runtime, 'stderr');
  const stderr = { write: errors.tell };
  const locks = onFirstUse(async () =>
    (await import('./lock/file-locks.ts')).createFileLocks({ clock, signal, warn: (text) => void stderr.write(text) }),
  );
  let opened: Promise<Remembered> | undefined;
  const remembered = (): Promise<Remembered> =>
    (opened ??= import('./remembered.ts').then(({ openRemembered }) => openRemembered(settings, runtime, locks)));
  const closes: (() => Promise<void>)[] = [];
  const connected: ConnectionOptions = {
    runtime,
    settings,
    signal,
    stderr,
    interactive: () => terminal.errors,
    onClose: (close) => closes.push(close),
  };
  const connection = openConnection(connected, openLocal);
  // Loaded here: most commands start no program.
  const programs = () => import('./process/programs.ts');
  return {
    openApi: connection.openApi,
    batchApi: (options) => {
      // Only long commands send in batchApi: they must survive an upgrade of the program.
      runtime.holdProgram();
      return connection.batchApi(options);
    },
    loginApi: connection.loginApi,
    openLocalPods: async () => {
      if (settings.local) await (await connection.openLocal()).openPods();
    },
    settings,
    profiles: onFirstUse(async () =>
      (await import('../settings/profile-store.ts')).createProfiles(settings.profilesPath, locks, runtime.user),
    ),
    clock,
    random,
    env,
    foreignHome: () => runtime.foreignHome,
    terminal,
    stdout,
    rawOutput: { write: stdout.writeContent },
    programOutput: { out: stdout.write, err: errors.write },
    stderr,
    files: onFirstUse(async () => (await userFiles()).openFiles(runtime, signal)),
    durable: async () => (await import('./files/durable-files.ts')).openDurable(runtime, signal, locks),
    archives: async () => {
      const [{ openArchives }, { absolutePath }] = await Promise.all([import('./files/archives.ts'), userFiles()]);
      return openArchives((path) => absolutePath(runtime, path));
    },
    volumeFiles: async (place) => {
      const { openHostVolume } = await import('./connection/volume-files.ts');
      return openHostVolume(place, connected, connection);
    },
    prompts: onFirstUse(async () => {
      if (settings.local && terminal.canAsk) await connection.openLocal();
      return (await import('./terminal/prompts.ts')).createPrompts(runtime, terminal, signal);
    }),
    // Ctrl-C reaches a program directly; other signals are passed on. Usage (2) for a missing one.
    spawn: {
      get self() {
        return runtime.program;
      },
      accountHome: () => runtime.accountHome(),
      companion: (argv) => runtime.companion(argv),
      start: async (...given) => (await programs()).startProgram(runtime, ...given),
      run: async (...given) => (await programs()).runProgram(runtime, interrupt.redirect, ...given),
      connect: async (...given) => (await programs()).connectStreams(runtime, ...given),
      freePort: async (...given) => (await programs()).freePort(...given),
      knownHosts: async () => join((await programs()).sshFolder(settings.dataDirectory), 'known_hosts'),
      ownKeys: async () => (await programs()).ownKeys(runtime, settings.dataDirectory),
    },
    // On 127.0.0.1. Usage (2): port in use, or handler missing or broken.
    localHost: {
      serve: async (given) => {
        const { startLocalServer } = await import('./connection/local-server.ts');
        return startLocalServer(runtime, given, () => [settings.dataDirectory, dirname(settings.profilesPath)]);
      },
      servedAt: async (url) => (await import('./connection/local-server.ts')).servedAt(url),
      servePage: async (given) => (await import('./connection/web.ts')).servePage(given),
    },
    web: async (request) => (await import('./connection/web.ts')).sendToWeb(runtime, signal, request),
    runAgain: async (argv, options) =>
      await (await import('./again.ts')).runAgain(runtime, run, connection.openLocal)(argv, options),
    contractSchemas: async () => (await import('../local/index.ts')).contractSchemas(),
    limits: { read: connection.limits },
    lists: onFirstUse(async () => (await remembered()).lists),
    jobs: onFirstUse(async () => (await remembered()).jobs),
    guard: onFirstUse(async () => (await remembered()).guard),
    accountLock: async (...given) => (await remembered()).accountLock(...given),
    blocking: runtime.signals.blocking,
    signal,
    onSecondInterrupt: (listener) => interrupt.onSecond(listener),
    platform: runtime.platform,
    close: async () => {
      if (!runtime.exitsAfterRun) interrupt.close();
      await Promise.all(closes.map((close) => close()));
    },
  };
}
