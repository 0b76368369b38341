import { encodeJson, Exact, isList, isObject, type Json, type JsonObject, memberOf } from '../core/json.ts';
import type { Kind } from './model.ts';

export interface Difference {
  readonly path: string;
  readonly before: Json;
  readonly after: Json;
}

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
  one === other || (Number(one) === Number(other) && !(isLongInteger(one) && isLongInteger(other)));

const isLongInteger = (text: string): boolean => /^-?\d{16,}$/.test(text);

const sorted = (values: readonly Json[]): readonly Json[] =>
  values.toSorted((one, other) => (encodeJson(one) < encodeJson(other) ? -1 : 1));
