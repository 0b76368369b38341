/** What a plan is made of. Everything in this folder is pure: documents and rows go in, changes come out. */
import type { Json, JsonObject } from '../core/json.ts';

/** What a plan needs to know of a kind of thing. The tables of fields give it. */
export interface Kind {
  /** `pod`: the word after `kind:`. */
  readonly kind: string;
  /** The paths that an update may have; what is below an accepted path is accepted. */
  readonly updates: readonly string[];
  /** The paths that no row has, so that they cannot be compared. */
  readonly writeOnly: readonly string[];
  /** The lists whose order means nothing. */
  readonly unordered: readonly string[];
  /** What a change of a member does to a row. */
  readonly effect: (row: Json, path: string) => Effect;
  /** The members that set another command than the row has; they are not compared as text. */
  readonly command?: {
    readonly members: readonly string[];
    readonly changed: (row: Json, body: JsonObject) => Promise<readonly string[]>;
  };
  /** What an update sends to make a member empty, which `null` in a document asks for; undefined where it cannot be empty. */
  readonly emptied: (path: string) => Json | undefined;
  /** Why the service would refuse this change; undefined where it would not. */
  readonly refusal: (row: Json, body: JsonObject) => Promise<string | undefined>;
}

/**
 * What a change does: `in-place` nothing else; `restarts` the container anew, and what is on its disk is lost; `release`
 * replaces the workers one by one; `next-start` is kept by the service and shows only from the next start on; `fixed` cannot be
 * changed; `permanent` cannot be undone.
 */
export const EFFECTS = ['in-place', 'restarts', 'release', 'next-start', 'permanent', 'fixed'] as const;
export type Effect = (typeof EFFECTS)[number];

/** `delete`: no file names it any more. */
export const ACTIONS = ['none', 'create', 'update', 'delete', 'blocked'] as const;
export type Action = (typeof ACTIONS)[number];

/** One member that differs. */
export interface Change {
  readonly path: string;
  readonly before: Json;
  readonly after: Json;
  readonly effect: Effect;
}

/** What is to be done about one document. */
export interface Item {
  readonly action: Action;
  readonly changes: readonly Change[];
  /** Members that cannot be compared, because the service never shows them. */
  readonly notCompared: readonly string[];
  /** Why it is blocked or removed. */
  readonly why?: string;
}
