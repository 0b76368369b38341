import { isObject, type Json, type JsonObject, memberAt } from '../core/json.ts';
import { differences } from './differences.ts';
import type { Change, Item, Kind } from './model.ts';

export async function planUpdate(kind: Kind, row: Json, body: JsonObject): Promise<Item> {
  const notCompared = kind.writeOnly.filter((path) => memberAt(body, path) !== undefined);
  const found = [...differences(kind, row, body), ...(await commandChanges(kind, row, body))];
  const changes = found.map((difference): Change => ({
    ...difference,
    effect: isWithin(difference.path, kind.updates) ? kind.effect(row, difference.path) : 'fixed',
  }));
  if (changes.length === 0) return { action: 'none', changes, notCompared };
  const fixed = changes.filter(({ effect }) => effect === 'fixed').map(({ path }) => path);
  const full = changes.filter(({ path, after }) => after === null && kind.emptied(path) === undefined);
  const why =
    fixed.length > 0
      ? `${fixed.join(', ')} cannot be changed after the creation`
      : full.length > 0
        ? `${full.map(({ path }) => path).join(', ')} cannot be empty`
        : kind.refusal(row, bodyOfChanges(body, changes));
  return {
    action: why === undefined ? 'update' : 'blocked',
    changes,
    notCompared,
    ...(why === undefined ? {} : { why }),
  };
}

/** Top-level members, each complete. */
export const bodyOfChanges = (body: JsonObject, changes: readonly Change[]): JsonObject => {
  const changed = new Set(changes.map(({ path }) => path.split('.', 1)[0]));
  return Object.fromEntries(Object.entries(body).filter(([name]) => changed.has(name)));
};

async function commandChanges(
  { command }: Kind,
  row: Json,
  body: JsonObject,
): Promise<readonly Omit<Change, 'effect'>[]> {
  const paths = (await command?.changed(row, body)) ?? [];
  return paths.map((path) => ({ path, before: memberAt(row, path) ?? null, after: memberAt(body, path) ?? null }));
}

/** Equal to, below, or above one of these. */
const isWithin = (path: string, paths: readonly string[]): boolean =>
  paths.some((each) => path === each || path.startsWith(`${each}.`) || each.startsWith(`${path}.`));

export const planCreate = (kind: Kind, body: JsonObject): Item => ({
  action: 'create',
  changes: Object.entries(body).map(([path, value]) => ({
    path,
    before: null,
    after: value ?? null,
    effect: 'in-place',
  })),
  notCompared: kind.writeOnly.filter((path) => memberAt(body, path) !== undefined),
});

/** Recursive. */
export const withoutNull = (body: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, isObject(value) ? withoutNull(value) : value]],
    ),
  );
