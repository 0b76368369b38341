import type { Writable } from 'node:stream';
import type { Clock, LocalHost } from '../../core/context.ts';

/** The parts of the runtime that a served local service uses. */
export interface LocalRuntime {
  readonly clock: Clock;
  readonly random: () => number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** Receives what workers print, because stdout is for data. */
  readonly stderr: Writable;
  /** See `Runtime.programFolder`. */
  readonly programFolder: string;
  /** See `Runtime.holdProgram`. */
  holdProgram(): void;
}

/**
 * Creates the port that serves local services on 127.0.0.1. Paths are relative to the working directory. Fails with usage
 * (2) when the port is in use, or what serves an endpoint does not exist or cannot be loaded.
 */
export const createLocalHost = (runtime: LocalRuntime): LocalHost => ({
  // Loaded here: other commands need none of it.
  serve: async (options) => (await import('./local-server.ts')).startLocalServer(runtime, options),
});
