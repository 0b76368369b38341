/** Everything in this folder is pure. */
import type { Json, JsonObject } from '../core/json.ts';

export interface Kind {
  /** Paths below an accepted path are accepted. */
  readonly updates: readonly string[];
  /** In no row, so they cannot be compared. */
  readonly writeOnly: readonly string[];
  readonly unordered: readonly string[];
  readonly effect: (row: Json, path: string) => Effect;
  /** Not compared as text. */
  readonly command?: {
    readonly members: readonly string[];
    readonly changed: (row: Json, body: JsonObject) => Promise<readonly string[]>;
  };
  /** What an update sends for `null`; undefined if it cannot be empty. */
  readonly emptied: (path: string) => Json | undefined;
  /** Undefined if the service would accept it. */
  readonly refusal: (row: Json, body: JsonObject) => string | undefined;
}

/** `restarts` loses the container disk; `release` replaces workers one by one; `permanent` has no undo. */
export const EFFECTS = ['in-place', 'restarts', 'release', 'next-start', 'permanent', 'fixed'] as const;
export type Effect = (typeof EFFECTS)[number];

/** `delete`: no file names it any more. */
export const ACTIONS = ['none', 'create', 'update', 'delete', 'blocked'] as const;
export type Action = (typeof ACTIONS)[number];

export interface Change {
  readonly path: string;
  readonly before: Json;
  readonly after: Json;
  readonly effect: Effect;
}

export interface Item {
  readonly action: Action;
  readonly changes: readonly Change[];
  /** The service never shows them. */
  readonly notCompared: readonly string[];
  readonly why?: string;
}
