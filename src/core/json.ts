/** JSON whose numbers keep their digits: what a double would change (9007199254740993, 1e400, 1.0) stays text. */

import { parse, stringify } from 'lossless-json';
import { messageOf } from './failure.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
/** The bit by which a brace differs from its bracket. */
const BRACE = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** Maximum nesting depth: values are read, hidden and written by recursion. */
const MAX_DEPTH = 500;

/** How lossless-json knows what it writes as it is, across copies of the library. */
const AS_IS: unique symbol = Symbol.for('lossless-json.LosslessNumber');

/** A number that a double would change, or other text that is JSON already. Encoded unchanged. */
export class Exact {
  readonly [AS_IS] = true;
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

/** Lines and columns count from 1; `offset` is in characters, after a byte order mark. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  readonly line: number;
  readonly column: number;
  readonly offset: number;
  constructor(complaint: string, text: string) {
    super(complaint.replace(/ at position \d+.*/s, ''));
    this.offset = Number(/ at position (\d+)/.exec(complaint)?.[1] ?? text.length);
    const before = text.slice(0, this.offset).split('\n');
    this.line = before.length;
    this.column = (before.at(-1)?.length ?? 0) + 1;
  }
}

/** Fails with JsonSyntaxError. */
export function decodeJson(source: string): Json {
  const value = tryDecodeJson(source);
  if (value !== undefined) return value;
  const text = source.replace(BYTE_ORDER_MARK, '');
  // JSON.parse does not say alike on all versions of Node where the error is.
  try {
    keepsNumbers(text);
    return parseExactly(text);
  } catch (error) {
    throw new JsonSyntaxError(messageOf(error), text);
  }
}

/** Undefined for what is not JSON: why is not looked for, which takes long. */
export function tryDecodeJson(source: string): Json | undefined {
  const text = source.replace(BYTE_ORDER_MARK, '');
  try {
    return keepsNumbers(text) ? (JSON.parse(text) as Json) : parseExactly(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export const jsonOrText = (text: string): Json => {
  const value = tryDecodeJson(text);
  return value === undefined ? text : value;
};

const BYTE_ORDER_MARK = /^\uFEFF/;

/** A number, with every character that may be wrong in one. */
const NUMBER = /[-\d][-+.\deE]*/y;

/** Whether JSON.parse changes no number of a text. Fails with SyntaxError for one that is nested too deeply. */
function keepsNumbers(text: string): boolean {
  let depth = 0;
  let keeps = true;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if ((code | BRACE) === CLOSING) depth--;
    else if ((code | BRACE) === OPENING) {
      if (++depth > MAX_DEPTH) throw new SyntaxError(`nested too deeply at position ${at}`);
    } else if ((code >= ZERO && code <= NINE) || code === MINUS) {
      NUMBER.lastIndex = at;
      const [digits = ''] = NUMBER.exec(text) ?? [];
      keeps &&= isExact(digits);
      at += digits.length - 1;
    }
  }
  return keeps;
}

const isExact = (digits: string): boolean => JSON.stringify(Number(digits)) === digits;

const parseExactly = (text: string): Json =>
  parse(text, undefined, {
    parseNumber: (digits) => (isExact(digits) ? Number(digits) : new Exact(digits)),
    onDuplicateKey: ({ newValue }) => newValue,
  }) as Json;

/** The position after the closing quote of the string that starts at `start`, or the length of a text without one. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at + 1;
  }
  return text.length;
}

/** The source of a member as it was written, of text that `decodeJson` accepts. Of one named twice, the last counts. */
export function memberSource(source: string, name: string): string | undefined {
  let found: string | undefined;
  let member: unknown;
  let depth = 0;
  let start = 0;
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (code === QUOTE) at = endOfString(source, at) - 1;
    else if ((code | BRACE) === OPENING) {
      if (depth === 0 && code === OPEN_ARRAY) return undefined;
      if (++depth === 1) start = at + 1;
    } else if (depth === 1 && code === COLON) {
      member = JSON.parse(source.slice(start, at));
      start = at + 1;
    } else if (depth === 1 && (code === COMMA || (code | BRACE) === CLOSING)) {
      if (member === name) found = source.slice(start, at).trim();
      member = undefined;
      start = at + 1;
    }
    if ((code | BRACE) === CLOSING) depth--;
  }
  return found;
}

/** Encodes a value. `indent` is the number of spaces per level; 0 gives one line. Undefined members are left out. */
export function encodeJson(value: Json, indent = 0): string {
  // The engine encodes ten times as fast, and knows nothing of numbers that are kept as text.
  return hasExact(value) ? (stringify(value, undefined, indent) ?? '') : JSON.stringify(value, undefined, indent);
}

function hasExact(value: Json | undefined): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof Exact) return true;
  if (isList(value)) return value.some(hasExact);
  for (const name in value) if (hasExact(value[name])) return true;
  return false;
}

/** The finite number that a value represents, rounded if necessary; undefined for any other value. */
export function numberOf(value: Json | undefined): number | undefined {
  const number = value instanceof Exact ? Number(value.text) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

export const stringOf = (value: Json | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

export const objectOf = (value: Json | undefined): JsonObject | undefined => (isObject(value) ? value : undefined);

/** `Array.isArray` makes the items of an array `any`. */
export const isList: (value: Json | undefined) => value is readonly Json[] = Array.isArray;

export const arrayOf = (value: Json | undefined): readonly Json[] | undefined => (isList(value) ? value : undefined);

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Exact);

export function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (isList(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined;
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The member at a dotted path (`runtime.gpus.0.util`); undefined when there is none. */
export const memberAt = (value: Json | undefined, path: string): Json | undefined =>
  path.includes('.') ? path.split('.').reduce(memberOf, value) : memberOf(value, path);

export const stringAt = (value: Json | undefined, path: string): string | undefined => stringOf(memberAt(value, path));

export const numberAt = (value: Json | undefined, path: string): number | undefined => numberOf(memberAt(value, path));

export const objectAt = (value: Json | undefined, path: string): JsonObject | undefined =>
  objectOf(memberAt(value, path));

export const arrayAt = (value: Json | undefined, path: string): readonly Json[] | undefined =>
  arrayOf(memberAt(value, path));

export const stringsOf = (value: Json | undefined): readonly string[] =>
  (arrayOf(value) ?? []).flatMap((each) => stringOf(each) ?? []);

export const itemsAt = (value: Json | undefined, path: string): readonly Json[] => arrayOf(memberAt(value, path)) ?? [];
