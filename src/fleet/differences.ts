/** What differs between a thing and its document, and what a change does. Pure. */
import { encodeJson, Exact, isList, isObject, type Json, type JsonObject, memberAt, memberOf } from '../core/json.ts';

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

interface Difference {
  readonly path: string;
  readonly before: Json;
  readonly after: Json;
}

export interface Change extends Difference {
  readonly effect: Effect;
}

export interface Item {
  readonly action: (typeof ACTIONS)[number];
  readonly changes: readonly Change[];
  /** Why it is blocked, or what a removal erases. */
  readonly why?: string | undefined;
}

export const planCreate = (body: JsonObject): Item => ({
  action: 'create',
  changes: Object.entries(body).map(([path, after = null]) => ({ path, before: null, after, effect: 'in-place' })),
});

export async function planUpdate(kind: Kind, row: Json, body: JsonObject): Promise<Item> {
  const commands = ((await kind.command?.changed(row, body)) ?? []).map((path): Difference => ({
    path,
    before: memberAt(row, path) ?? null,
    after: memberAt(body, path) ?? null,
  }));
  const changes = [...differences(kind, row, body), ...commands].map((difference): Change => ({
    ...difference,
    effect: isWithin(difference.path, kind.updates) ? kind.effect(row, difference.path) : 'fixed',
  }));
  if (changes.length === 0) return { action: 'none', changes };
  const fixed = changes.filter(({ effect }) => effect === 'fixed').map(({ path }) => path);
  const full = changes.filter(({ path, after }) => after === null && kind.emptied(path) === undefined);
  const why =
    fixed.length > 0
      ? `${fixed.join(', ')} cannot be changed after the creation`
      : full.length > 0
        ? `${full.map(({ path }) => path).join(', ')} cannot be empty`
        : kind.refusal(row, bodyOfChanges(body, changes));
  return { action: why === undefined ? 'update' : 'blocked', changes, why };
}

/** Top-level members, each complete. */
export const bodyOfChanges = (body: JsonObject, changes: readonly Change[]): JsonObject => {
  const changed = new Set(changes.map(({ path }) => path.split('.', 1)[0]));
  return Object.fromEntries(Object.entries(body).filter(([name]) => changed.has(name)));
};

/** Equal to, below, or above one of these. */
const isWithin = (path: string, paths: readonly string[]): boolean =>
  paths.some((each) => path === each || path.startsWith(`${each}.`) || each.startsWith(`${path}.`));

/** Only members of the body; null clears. Skips command members and write-only ones. */
export function differences(kind: Kind, row: Json, body: JsonObject): readonly Difference[] {
  const skipped = [...kind.writeOnly, ...(kind.command?.members ?? [])];
  const within = (path: string, before: Json | undefined, after: Json): readonly Difference[] => {
    if (skipped.includes(path)) return [];
    if (isObject(after))
      return Object.entries(after).flatMap(([name, value]) =>
        within(path === '' ? name : `${path}.${name}`, memberOf(before, name), value ?? null),
      );
    return isSame(before, after, kind.unordered.includes(path)) ? [] : [{ path, before: before ?? null, after }];
  };
  return within('', row, body);
}

/** Of objects in lists, only given members count. */
export function isSame(before: Json | undefined, after: Json, isUnordered = false): boolean {
  if (after === null) return isEmpty(before);
  if (isList(after)) {
    if (!isList(before)) return after.length === 0 && isEmpty(before);
    const [some, others] = isUnordered ? [sorted(before), sorted(after)] : [before, after];
    return some.length === others.length && others.every((value, at) => isSame(some[at], value));
  }
  if (isObject(after))
    return Object.entries(after).every(([name, value]) => isSame(memberOf(before, name), value ?? null));
  if (isNumber(after) && isNumber(before)) return isSameNumber(String(before), String(after));
  return before === after;
}

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0);

const isNumber = (value: Json | undefined): value is number | Exact =>
  typeof value === 'number' || value instanceof Exact;

/** Numbers beyond the precision of a double are compared by digits. */
const isSameNumber = (one: string, other: string): boolean =>
  one === other || (Number(one) === Number(other) && ![one, other].every((text) => /^-?\d{16,}$/.test(text)));

const sorted = (values: readonly Json[]): readonly Json[] =>
  values.toSorted((one, other) => (encodeJson(one) < encodeJson(other) ? -1 : 1));
