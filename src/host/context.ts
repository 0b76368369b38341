import { dirname } from 'node:path';
import type { Context, RangeFiles } from '../core/context.ts';
import type { FileLocks } from '../core/files.ts';
import type { RunCli } from './again.ts';
import { openConnection, type OpenLocal } from './connection/connection.ts';
import { absolutePath, openFiles, readKeyFile } from './files/user-files.ts';
import type { FileLocksOptions } from './lock/file-locks.ts';
import { createSpawn, listenForInterrupt } from './process/spawn.ts';
import { createAccountFiles, createRemembered } from './remembered.ts';
import type { Runtime } from './runtime/runtime.ts';
import { createPrompts } from './terminal/prompts.ts';
import { contentOutput, dataOutput, describeTerminal, messageOutput } from './terminal/terminal.ts';
import { createProfiles } from '../settings/profile-store.ts';
import type { GlobalFlags } from '../settings/resolve.ts';
import { Settings } from '../settings/settings.ts';

/** Most commands take no lock: its code is loaded with the first one. */
function createLazyLocks(options: FileLocksOptions): FileLocks {
  let loaded: Promise<FileLocks> | undefined;
  const load = (): Promise<FileLocks> =>
    (loaded ??= import('./lock/file-locks.ts').then(({ createFileLocks }) => createFileLocks(options)));
  return {
    take: async (path, lockOptions) => (await load()).take(path, lockOptions),
    holder: async (path) => (await load()).holder(path),
  };
}

/** Must be closed after the command: it listens for signals and may hold connections. */
export interface HostContext extends Context {
  /** Saves the rate windows; closes connections and signal handlers, unless the process exits. */
  close(): Promise<void>;
}

/** Installs only signal handlers; files, connections and code are opened when a command uses them. */
export function createContext(runtime: Runtime, flags: GlobalFlags, run?: RunCli, openLocal?: OpenLocal): HostContext {
  const { env, clock, random } = runtime;
  const interrupt = listenForInterrupt(runtime);
  const { signal } = interrupt;
  const settings = new Settings(runtime, flags, (path) => readKeyFile(runtime, path, signal));
  const terminal = describeTerminal(runtime, settings);
  const stdout = dataOutput(() => runtime.stdout);
  const stderr = messageOutput(() => runtime.stderr);
  const locks = createLazyLocks({ clock, signal, warn: (text) => void stderr.write(text) });
  const { user } = runtime;
  const { limits, lists, jobs, remember, flush } = createRemembered(settings, clock, user);
  const { guard, accountLock } = createAccountFiles(settings, user, locks);
  const connected = { runtime, settings, signal, stderr, interactive: () => terminal.errors, onWindows: remember };
  const connection = openConnection(connected, openLocal);
  const durable = async (): Promise<RangeFiles> =>
    (await import('./files/durable-files.ts')).openDurable(runtime, signal, locks);
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
    profiles: createProfiles(() => settings.profilesPath, locks, runtime.user),
    clock,
    random,
    env,
    foreignHome: () => runtime.foreignHome,
    terminal,
    stdout,
    rawOutput: contentOutput(() => runtime.stdout, stdout),
    programOutput: { out: stdout.write, err: dataOutput(() => runtime.stderr).write },
    stderr,
    files: openFiles(runtime, signal),
    durable,
    archives: async () => {
      const { openArchives } = await import('./files/archives.ts');
      return openArchives((path) => absolutePath(runtime, path));
    },
    volumeFiles: async (place) => {
      const { openHostVolume } = await import('./connection/volume-files.ts');
      return openHostVolume(place, connected, connection);
    },
    prompts: createPrompts(runtime, terminal, signal, async () => {
      if (settings.local) await connection.openLocal();
    }),
    spawn: createSpawn(runtime, interrupt, () => settings.dataDirectory),
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
    limits,
    lists,
    jobs,
    guard,
    accountLock,
    blocking: runtime.signals.blocking,
    signal,
    onSecondInterrupt: (listener) => interrupt.onSecond(listener),
    platform: runtime.platform,
    close: async () => {
      flush();
      if (!runtime.exitsAfterRun) interrupt.close();
      await connection.close();
    },
  };
}
