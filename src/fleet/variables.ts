import { isList, isObject, type Json } from '../core/json.ts';
import { HIDDEN } from '../core/secret-names.ts';

/** `$${NAME}` is the literal text `${NAME}`. */
const VARIABLE = /\$?\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

function mapTexts(
  value: Json,
  map: (text: string, path: readonly string[]) => string,
  path: readonly string[] = [],
): Json {
  const inner = (name: string, each: Json): Json => mapTexts(each, map, [...path, name]);
  if (typeof value === 'string') return map(value, path);
  if (isList(value)) return value.map((each, at) => inner(String(at), each));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(name, each ?? null)]));
}

/** `found` gets every inserted text, to hide it later. `unknown` returns a replacement or throws. */
export const withVariables = (
  value: Json,
  variables: ReadonlyMap<string, string>,
  found: Set<string>,
  unknown: (path: readonly string[], name: string) => string,
): Json =>
  mapTexts(value, (text, path) => {
    const used: string[] = [];
    const replaced = text.replace(VARIABLE, (all, name: string) => {
      if (all.startsWith('$$')) return all.slice(1);
      const given = variables.get(name);
      if (given === undefined) return unknown(path, name);
      used.push(name);
      return given;
    });
    if (used.length > 0 && replaced !== '') found.add(replaced);
    return replaced;
  });

/** `***` replaces each text that came from a variable. */
export const withoutVariables = (value: Json, found: ReadonlySet<string>): Json =>
  mapTexts(value, (text) => (found.has(text) ? HIDDEN : text));

export const withVariablesKept = (value: Json): Json =>
  mapTexts(value, (text) => text.replace(VARIABLE, (all) => `$${all}`));
