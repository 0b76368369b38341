import { isList, isObject, type Json } from '../core/json.ts';
import { HIDDEN } from '../core/secret-names.ts';

/** `$${NAME}` is the literal text `${NAME}`. */
const VARIABLE = /\$?\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** `found` gets every inserted text, to hide it later. `unknown` returns a replacement or throws. */
export function withVariables(
  value: Json,
  variables: ReadonlyMap<string, string>,
  found: Set<string>,
  unknown: (path: readonly string[], name: string) => string,
  path: readonly string[] = [],
): Json {
  if (typeof value === 'string') {
    const used: string[] = [];
    const text = value.replace(VARIABLE, (all, name: string) => {
      if (all.startsWith('$$')) return all.slice(1);
      const given = variables.get(name);
      if (given === undefined) return unknown(path, name);
      used.push(name);
      return given;
    });
    if (used.length > 0 && text !== '') found.add(text);
    return text;
  }
  const inner = (name: string, each: Json | undefined): Json =>
    withVariables(each ?? null, variables, found, unknown, [...path, name]);
  if (isList(value)) return value.map((each, at) => inner(String(at), each));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(name, each)]));
}

/** `***` replaces each text that came from a variable. */
export function withoutVariables(value: Json, found: ReadonlySet<string>): Json {
  if (typeof value === 'string') return found.has(value) ? HIDDEN : value;
  if (isList(value)) return value.map((each) => withoutVariables(each, found));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutVariables(each ?? null, found)]));
}

export function withVariablesKept(value: Json): Json {
  if (typeof value === 'string') return value.replace(VARIABLE, (all) => `$${all}`);
  if (isList(value)) return value.map(withVariablesKept);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withVariablesKept(each ?? null)]));
}
