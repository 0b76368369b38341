import { encodeJson, Exact, isObject, memberOf, type Json, type JsonObject, isList } from '../core/json.ts';
import type { Kind } from './model.ts';

/** A member that differs, by its path. */
export interface Difference {
  readonly path: string;
  readonly before: Json;
  readonly after: Json;
}

/**
 * The members of a body that differ from a row. Only members that the body has count; null clears one. Members of a command
 * and members that no row has are left out.
 */
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

/** Whether a row has a value already. Of objects in lists, only members that are given count. */
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

/** Numbers that a double cannot tell apart are compared by their digits. */
const isSameNumber = (one: string, other: string): boolean =>
  one === other || (Number(one) === Number(other) && !(isLongInteger(one) && isLongInteger(other)));

const isLongInteger = (text: string): boolean => /^-?\d{16,}$/.test(text);

const sorted = (values: readonly Json[]): readonly Json[] =>
  values.toSorted((one, other) => (encodeJson(one) < encodeJson(other) ? -1 : 1));
