import type { Writable } from 'node:stream';
import type { Clock } from '../../core/context.ts';

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
