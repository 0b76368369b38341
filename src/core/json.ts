/**
 * The parts of a JSON text that JSON.parse would change or cannot read: numbers that a double does not represent exactly
 * (9007199254740993, 1e400, 1.0), and what is nested too deeply. They are replaced by marked strings, so that the fast
 * parser of the engine reads any document, and put back afterwards.
 */

import { parse } from 'lossless-json';
import { messageOf } from './failure.ts';
import { endOfString } from './json-source.ts';

const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** Levels of nesting. Deeper parts are kept as text. */
const MAX_DEPTH = 256;

interface Span {
  readonly start: number;
  readonly end: number;
}

function inexactSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  let depth = 0;
  let deepStart = -1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (isOfNumber(code)) {
      const end = endOfNumber(text, at);
      if (depth <= MAX_DEPTH && isInexact(text, at, end)) spans.push({ start: at, end });
      at = end - 1;
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (++depth === MAX_DEPTH + 1) deepStart = at;
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      if (depth-- === MAX_DEPTH + 1 && deepStart >= 0) {
        if (!isName(text, at + 1)) spans.push({ start: deepStart, end: at + 1 });
        deepStart = -1;
      }
    }
  }
  return spans;
}

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

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Whether this is a number of JSON that a double does not represent exactly. Anything else is left to the parser. */
function isInexact(text: string, start: number, end: number): boolean {
  const digits = text.slice(start, end);
  return JSON.stringify(Number(digits)) !== digits && NUMBER.test(digits) && !isName(text, end);
}

/** Whether a colon follows. In the place of a member's name, only a string is valid: nothing else may become one. */
function isName(text: string, end: number): boolean {
  let at = end;
  while (text.charCodeAt(at) <= 0x20) at++;
  return text.charCodeAt(at) === COLON;
}

/** A number that a double would round, or a part nested too deeply. Encoded unchanged. */
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

/** Keeps numbers that a double would change, and parts nested over 256 levels. Fails with JsonSyntaxError. */
export function decodeJson(source: string): Json {
  const value = tryDecodeJson(source);
  if (value === undefined) throw syntaxError(withoutMark(source));
  return value;
}

/** Faster than `decodeJson`, but rounds numbers. Throws SyntaxError, or RangeError when nested too deeply. */
export const parsePlainJson = (text: string): Json => JSON.parse(text) as Json;

export const jsonOrText = (text: string): Json => {
  const value = tryDecodeJson(text);
  return value === undefined ? text : value;
};

/** Undefined for what is not JSON: why is not looked for, which takes long. */
export function tryDecodeJson(source: string): Json | undefined {
  const text = withoutMark(source);
  const spans = inexactSpans(text);
  try {
    return spans.length === 0 ? parsePlainJson(text) : decodeMarked(text, spans);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function decodeMarked(text: string, spans: readonly Span[]): Json {
  // A longer row of this character than any string of the text has. It can be written as this escape only.
  const rows = Array.from(text.matchAll(/(?:\\u0001)+/g), ([row]) => row.length / '\\u0001'.length);
  const length = 1 + rows.reduce((most, each) => Math.max(most, each), 0);
  const mark = '\u0001'.repeat(length);
  const pieces = spans.map(({ start }, index) => {
    const before = text.slice(spans[index - 1]?.end ?? 0, start);
    return `${before}"${'\\u0001'.repeat(length)}${String(index)}"`;
  });
  const marked = pieces.join('') + text.slice(spans.at(-1)?.end ?? 0);
  return restore(parsePlainJson(marked), (decoded) => {
    const span = decoded.startsWith(mark) ? spans[Number(decoded.slice(length))] : undefined;
    return span === undefined ? decoded : new Exact(text.slice(span.start, span.end));
  });
}

const withoutMark = (source: string): string => source.replace(/^\uFEFF/, '');

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

export const stringOf = (value: Json | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

export const objectOf = (value: Json | undefined): JsonObject | undefined => (isObject(value) ? value : undefined);

/** Whether a value is an array: `Array.isArray` makes its items `any`. */
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

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

export const itemsAt = (value: Json | undefined, path: string): readonly Json[] => arrayAt(value, path) ?? [];

function restore(value: Json, exact: (decoded: string) => Json): Json {
  if (typeof value === 'string') return exact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => restore(item, exact));
  const members = value as Record<string, Json>;
  for (const name in members) members[name] = restore(members[name] as Json, exact);
  return value;
}

/** Says where the error is. JSON.parse does not say it alike on all versions of Node, so another parser looks for it. */
function syntaxError(text: string): JsonSyntaxError {
  const complaint = complaintOf(text);
  const offset = Number(/ at position (\d+)/.exec(complaint)?.[1] ?? text.length);
  const before = text.slice(0, offset).split('\n');
  const message = complaint.replace(/ at position \d+.*/s, '');
  return new JsonSyntaxError(message, before.length, (before.at(-1)?.length ?? 0) + 1, offset);
}

function complaintOf(text: string): string {
  try {
    parse(text);
    return 'invalid JSON';
  } catch (error) {
    return messageOf(error);
  }
}
