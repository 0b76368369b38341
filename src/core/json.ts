import { parse } from 'lossless-json';
import { messageOf } from './failure.ts';
import { replaceInexact, type Replaced } from './json/inexact-parts.ts';

/**
 * A JSON value kept as its source text: a number that a double would round, or a part that is nested too deeply to
 * traverse. It is encoded unchanged.
 */
export class Exact {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

export type Json = null | boolean | number | string | Exact | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: Json | undefined;
}

/** A syntax error in JSON text. Lines and columns count from 1; `offset` is in characters, after a byte order mark. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  readonly line: number;
  readonly column: number;
  readonly offset: number;
  constructor(message: string, line: number, column: number, offset: number) {
    super(message);
    this.offset = offset;
    this.line = line;
    this.column = column;
  }
}

/**
 * Decodes JSON so that encoding it again loses nothing: a number that a double would change stays text
 * (9007199254740993, 1e400, 1.0), and so does a part that is nested deeper than 256 levels. When an object has a member
 * twice, the last one is used, as in JSON.parse. A leading byte order mark is accepted. Fails with JsonSyntaxError.
 */
export function decodeJson(source: string): Json {
  const replaced = replaceInexact(source.startsWith('\uFEFF') ? source.slice(1) : source);
  try {
    return restore(parsePlainJson(replaced.text), replaced);
  } catch (error) {
    throw error instanceof SyntaxError ? syntaxError(replaced, source) : error;
  }
}

/**
 * Decodes JSON as the engine does: many times faster than `decodeJson`, and numbers are rounded to doubles. Fails with the
 * engine's SyntaxError; also with RangeError for what is nested too deeply.
 */
export const parsePlainJson = (text: string): Json => JSON.parse(text) as Json;

/** The value of a JSON text; the text itself if it is not JSON. */
export function jsonOrText(text: string): Json {
  const value = tryDecodeJson(text);
  return value === undefined ? text : value;
}

/** Decodes JSON as `decodeJson` does; undefined for invalid text. */
export function tryDecodeJson(source: string): Json | undefined {
  try {
    return decodeJson(source);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** Encodes a value. `indent` is the number of spaces per level; 0 gives one line. Undefined members are left out. */
export function encodeJson(value: Json, indent = 0): string {
  // The engine encodes ten times as fast, and knows nothing of numbers that are kept as text.
  return hasExact(value) ? encode(value, indent, '') : JSON.stringify(value, undefined, indent);
}

function hasExact(value: Json | undefined): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof Exact) return true;
  if (isList(value)) return value.some(hasExact);
  for (const name in value) if (hasExact(value[name])) return true;
  return false;
}

function encode(value: Json, indent: number, margin: string): string {
  if (value instanceof Exact) return value.text;
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : 'null';
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const inner = margin + ' '.repeat(indent);
  const [open, close, parts] = isList(value)
    ? (['[', ']', value.map((item) => encode(item, indent, inner))] as const)
    : (['{', '}', members(value, indent, inner)] as const);
  if (parts.length === 0) return open + close;
  if (indent === 0) return open + parts.join(',') + close;
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${margin}${close}`;
}

function members(object: JsonObject, indent: number, inner: string): string[] {
  const colon = indent === 0 ? ':' : ': ';
  return Object.entries(object).flatMap(([name, value]) =>
    value === undefined ? [] : [JSON.stringify(name) + colon + encode(value, indent, inner)],
  );
}

/** The finite number that a value represents, rounded if necessary; undefined for any other value. */
export function numberOf(value: Json | undefined): number | undefined {
  const number = value instanceof Exact ? Number(value.text) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** The string; undefined for any other kind of value. */
export const stringOf = (value: Json | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** The object; undefined for any other kind of value. */
export const objectOf = (value: Json | undefined): JsonObject | undefined => (isObject(value) ? value : undefined);

/** Whether a value is an array: `Array.isArray` makes its items `any`. */
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** The array; undefined for any other kind of value. */
export const arrayOf = (value: Json | undefined): readonly Json[] | undefined => (isList(value) ? value : undefined);

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Exact);

/** A member of an object, or an item of an array by its index; undefined when there is none. */
export function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (isList(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined;
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The member at a dotted path (`runtime.gpus.0.util`); undefined when there is none. */
export const memberAt = (value: Json | undefined, path: string): Json | undefined =>
  path.includes('.') ? path.split('.').reduce(memberOf, value) : memberOf(value, path);

/** The string at a dotted path; undefined when there is none. */
export const stringAt = (value: Json | undefined, path: string): string | undefined => stringOf(memberAt(value, path));

/** The number at a dotted path, as `numberOf` gives it; undefined when there is none. */
export const numberAt = (value: Json | undefined, path: string): number | undefined => numberOf(memberAt(value, path));

/** The object at a dotted path; undefined when there is none. */
export const objectAt = (value: Json | undefined, path: string): JsonObject | undefined =>
  objectOf(memberAt(value, path));

/** The array at a dotted path; undefined when there is none. */
export const arrayAt = (value: Json | undefined, path: string): readonly Json[] | undefined =>
  arrayOf(memberAt(value, path));

/** The strings among the items of an array; none for any other kind of value. */
export const stringsOf = (value: Json | undefined): readonly string[] =>
  (arrayOf(value) ?? []).flatMap((each) => stringOf(each) ?? []);

/** The items of the array at a dotted path; none when there is no array. */
export const itemsAt = (value: Json | undefined, path: string): readonly Json[] => arrayAt(value, path) ?? [];

/** Puts the inexact parts back into a decoded value, in place. */
function restore(value: Json, replaced: Replaced): Json {
  if (replaced.parts.length === 0) return value;
  if (typeof value === 'string') {
    const part = replaced.partOf(value);
    return part === undefined ? value : new Exact(replaced.parts[part] ?? '');
  }
  if (Array.isArray(value)) {
    const items = value as Json[];
    for (const [at, item] of items.entries()) if (isChanged(item)) items[at] = restore(item, replaced);
  } else if (isObject(value)) {
    const members = value as Record<string, Json>;
    for (const name in members) {
      const member = members[name] as Json;
      if (isChanged(member)) members[name] = restore(member, replaced);
    }
  }
  return value;
}

const isChanged = (value: Json): boolean => typeof value === 'string' || (typeof value === 'object' && value !== null);

/** Says where the error is. JSON.parse does not say it alike on all versions of Node, so another parser looks for it. */
function syntaxError(replaced: Replaced, source: string): JsonSyntaxError {
  const said = complaintOf(replaced.text);
  const found = / at position (\d+)/.exec(said);
  const text = source.replace(/^\uFEFF/, '');
  const offset = found ? replaced.sourceOffset(Number(found[1])) : text.length;
  const before = text.slice(0, offset).split('\n');
  return new JsonSyntaxError(
    said.replace(/ at position \d+.*/s, ''),
    before.length,
    (before.at(-1)?.length ?? 0) + 1,
    offset,
  );
}

/** What the exact parser says of a text that is not JSON. */
function complaintOf(text: string): string {
  try {
    parse(text);
    return 'invalid JSON';
  } catch (error) {
    return messageOf(error);
  }
}
