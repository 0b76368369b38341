import { parse } from 'lossless-json';
import { messageOf } from './failure.ts';

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

/** A syntax error in JSON text. Lines and columns count from 1. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  readonly line: number;
  readonly column: number;
  constructor(message: string, line: number, column: number) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

/** Levels of nesting that are decoded. Deeper parts are kept as text. */
const MAX_DEPTH = 256;

/**
 * Decodes JSON so that encoding it again loses nothing: a number that a double would change stays text
 * (9007199254740993, 1e400, 1.0), and so does a part that is nested deeper than 256 levels. When an object has a member
 * twice, the last one is used, as in JSON.parse. A leading byte order mark is accepted. Fails with JsonSyntaxError.
 */
export function decodeJson(source: string): Json {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
  const { shallow, cut, plain } = cutDeep(text);
  if (plain) {
    const fast = parseFast(text);
    if (fast !== undefined) return fast;
  }
  try {
    return parse(shallow, null, {
      parseNumber: (digits) => number(digits, cut),
      onDuplicateKey: ({ newValue }: { newValue: unknown }) => newValue,
    }) as Json;
  } catch (error) {
    throw syntaxError(error, shallow);
  }
}

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
  return encode(value, indent, '');
}

function encode(value: Json, indent: number, margin: string): string {
  if (value instanceof Exact) return value.text;
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : 'null';
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const inner = margin + ' '.repeat(indent);
  const [open, close, parts] = Array.isArray(value)
    ? (['[', ']', value.map((item: Json) => encode(item, indent, inner))] as const)
    : (['{', '}', members(value as JsonObject, indent, inner)] as const);
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

/** The array; undefined for any other kind of value. */
export const arrayOf = (value: Json | undefined): readonly Json[] | undefined =>
  Array.isArray(value) ? (value as readonly Json[]) : undefined;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Exact);

/** A member of an object, or an item of an array by its index; undefined when there is none. */
export function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(name) ? (value as readonly Json[])[Number(name)] : undefined;
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

/** JSON.parse, which is a hundred times as fast; undefined for invalid text, which the exact parser then locates. */
function parseFast(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The number, or its text when a double would change it. */
function number(digits: string, cut: ReadonlyMap<string, string>): Json {
  const deep = cut.get(digits);
  if (deep !== undefined) return new Exact(deep);
  return isExactAsDouble(digits) ? Number(digits) : new Exact(digits);
}

/**
 * Replaces every part that is nested deeper than MAX_DEPTH by a placeholder number, so that a recursive parser cannot
 * overflow the stack. `plain` says that nothing was replaced and that a double represents every number exactly. One pass
 * over the text; most texts are returned unchanged.
 */
function cutDeep(text: string): { shallow: string; cut: ReadonlyMap<string, string>; plain: boolean } {
  let cut: Map<string, string> | undefined;
  let plain = true;
  let depth = 0;
  let from = -1;
  let kept = 0;
  let shallow = '';
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (isOfNumber(code)) {
      const end = endOfNumber(text, at);
      plain &&= isShortWhole(text, at, end) || isExactAsDouble(text.slice(at, end));
      at = end - 1;
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth === MAX_DEPTH + 1) from = at;
    } else if (code === 0x7d || code === 0x5d) {
      if (depth-- === MAX_DEPTH + 1 && from >= 0) {
        cut ??= new Map();
        const placeholder = `0.${String(cut.size).padStart(6, '0')}e-99999`;
        cut.set(placeholder, text.slice(from, at + 1));
        shallow += text.slice(kept, from) + placeholder;
        kept = at + 1;
        from = -1;
        plain = false;
      }
    }
  }
  return cut === undefined ? { shallow: text, cut: NONE, plain } : { shallow: shallow + text.slice(kept), cut, plain };
}

const NONE: ReadonlyMap<string, string> = new Map();

/** A digit, a sign or a decimal point: every character of a number except its exponent letter. */
const isOfNumber = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2e || code === 0x2b;

function endOfNumber(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (!isOfNumber(code) && code !== 0x65 && code !== 0x45) return at;
  }
  return text.length;
}

/** Whether a double represents these digits exactly. */
const isExactAsDouble = (digits: string): boolean => JSON.stringify(Number(digits)) === digits;

/** Whether a number is a whole number of at most 15 digits, which a double represents exactly: most numbers are. */
function isShortWhole(text: string, start: number, end: number): boolean {
  if (end - start > 15 || (end - start > 1 && text.charCodeAt(start) === 0x30)) return false;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at++;
    else if (code === 0x22) return at;
  }
  return text.length;
}

function syntaxError(error: unknown, text: string): JsonSyntaxError {
  const said = messageOf(error);
  const found = / at position (\d+)/.exec(said);
  const offset = found ? Number(found[1]) : text.length;
  const before = text.slice(0, offset).split('\n');
  return new JsonSyntaxError(said.replace(/ at position \d+.*/s, ''), before.length, (before.at(-1)?.length ?? 0) + 1);
}
