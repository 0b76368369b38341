import { join } from 'node:path';
import type { Context } from '../core/context.ts';
import { createProfiles } from '../settings/profiles.ts';
import type { GlobalFlags } from '../settings/resolve.ts';
import { createSettings } from '../settings/view.ts';
import { openConnection } from './connection/connection.ts';
import { openFiles } from './files/files.ts';
import { listenForInterrupt } from './process/interrupt.ts';
import { createLimits } from './connection/remembered-limits.ts';
import { createLazyLocks } from './lock/lazy.ts';
import { createLocalHost } from './connection/local-server.ts';
import { createPrompts } from './terminal/prompts.ts';
import { createSpawn } from './process/spawn.ts';
import { dataSink, talkSink } from './terminal/streams.ts';
import { describeTerminal } from './terminal/terminal.ts';
import type { World } from './world.ts';

/** A Context to be closed when the command is over: it listens for signals and may hold connections. */
export interface HostContext extends Context {
  /** Ends connections, writes down the limits that were seen, hears no more signals. */
  close(): Promise<void>;
}

/**
 * The Context of one run, over a world and the global flags as typed (by setting name). Nothing is read, opened or
 * loaded here but the signals; whatever a command does not use costs nothing and cannot fail.
 */
export function createContext(world: World, flags: GlobalFlags): HostContext {
  const { env, clock, random } = world;
  const interrupt = listenForInterrupt(world);
  const { signal } = interrupt;
  const settings = createSettings({
    env,
    flags,
    platform: world.platform,
    get home() {
      return world.home;
    },
    get cwd() {
      return world.cwd;
    },
    readKeyFile: async (path) => (await import('./files/key-file.ts')).readKeyFile(world, path, signal),
  });
  const terminal = describeTerminal(world, {
    noInput: () => settings.get('no-input'),
    noColour: () => settings.get('no-color'),
  });
  const stderr = talkSink(() => world.stderr);
  const locks = createLazyLocks({
    clock,
    signal,
    say: (text) => {
      if (terminal.errors) void stderr.write(text);
    },
  });
  const limits = createLimits({
    path: () => join(settings.dataDirectory, 'limits.json'),
    profile: () => settings.profile,
    // eslint-disable-next-line no-restricted-syntax -- a date, kept for other processes
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    random,
  });
  const connection = openConnection({
    settings,
    env,
    clock,
    random,
    signal,
    stderr,
    watched: () => terminal.errors,
    onWindows: (windows) => {
      limits.remember(windows);
    },
  });
  return {
    api: connection.api,
    batchApi: (options) => {
      // Only what runs for long sends in bulk.
      world.holdProgram();
      return connection.batchApi(options);
    },
    settings,
    profiles: createProfiles(() => settings.profilesPath, locks),
    clock,
    random,
    env,
    terminal,
    stdout: dataSink(() => world.stdout),
    stderr,
    files: openFiles(world, signal),
    durable: async () => (await import('./files/durable.ts')).openDurable(world, signal, locks),
    prompts: createPrompts(() => world, terminal, signal),
    spawn: createSpawn(world, interrupt),
    localHost: createLocalHost(world),
    limits,
    blocking: world.signals.blocking,
    signal,
    onSecondInterrupt: (listener) => interrupt.onSecond(listener),
    platform: world.platform,
    close: async () => {
      limits.flush();
      interrupt.close();
      await connection.close();
    },
  };
}
