import type { LocalHost } from '../../core/context.ts';
import type { LocalRuntime } from './local-server.ts';

/**
 * Creates the port that serves local services on 127.0.0.1. Paths are relative to the working directory. Fails with usage
 * (2) when the port is in use, or what serves an endpoint does not exist or cannot be loaded. `ownDirectories` are those in which
 * berth keeps files of its own; they may be missing.
 */
export const createLocalHost = (
  runtime: LocalRuntime,
  ownDirectories: () => readonly string[] = () => [],
): LocalHost => ({
  // Loaded here: other commands need none of it.
  serve: async (options) => (await import('./local-server.ts')).startLocalServer(runtime, options, ownDirectories()),
});
