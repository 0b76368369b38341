/**
 * The parts of a JSON text that JSON.parse would change or cannot read: numbers that a double does not represent exactly
 * (9007199254740993, 1e400, 1.0), and what is nested too deeply. They are replaced by marked strings, so that the fast
 * parser of the engine reads any document, and put back afterwards.
 */
import { endOfString } from './json-source.ts';

const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** Levels of nesting that are decoded. Deeper parts are kept as text. */
const MAX_DEPTH = 256;

/** A text whose inexact parts are replaced. */
export interface Replaced {
  /** The text with a marked string for each part; the same text when there is no part. */
  readonly text: string;
  /** The source of each part. */
  readonly parts: readonly string[];
  /** Returns the number of the part that a decoded string replaces; undefined for a string of the text itself. */
  readonly partOf: (decoded: string) => number | undefined;
  /** Returns the offset in the source of an offset in the replaced text. */
  readonly sourceOffset: (offset: number) => number;
}

/** Finds and replaces the inexact parts. One pass over the text. */
export function replaceInexact(source: string): Replaced {
  const spans = inexactSpans(source);
  if (spans.length === 0) return { text: source, parts: [], partOf: () => undefined, sourceOffset: (offset) => offset };
  const length = markLength(source);
  const mark = '\u0001'.repeat(length);
  const quoted = '\\u0001'.repeat(length);
  const pieces: string[] = [];
  let from = 0;
  for (const [index, { start, end }] of spans.entries()) {
    pieces.push(source.slice(from, start), `"${quoted}${String(index)}"`);
    from = end;
  }
  pieces.push(source.slice(from));
  return {
    text: pieces.join(''),
    parts: spans.map(({ start, end }) => source.slice(start, end)),
    partOf: (decoded) => (decoded.startsWith(mark) ? Number(decoded.slice(length)) : undefined),
    sourceOffset: (offset) => sourceOffset(pieces, spans, offset),
  };
}

/** A longer row of this character than any string of the text has. The character can be written as this escape only. */
function markLength(source: string): number {
  let longest = 0;
  for (const [run] of source.matchAll(/(?:\\u0001)+/g)) longest = Math.max(longest, run.length / '\\u0001'.length);
  return longest + 1;
}

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
      if (depth <= MAX_DEPTH && !isShortWhole(text, at, end) && isInexact(text, at, end))
        spans.push({ start: at, end });
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

/** Whether a number is a whole number of at most 15 digits, which a double represents exactly: most numbers are. */
function isShortWhole(text: string, start: number, end: number): boolean {
  if (end - start > 15 || (end - start > 1 && text.charCodeAt(start) === 0x30)) return false;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
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

function sourceOffset(pieces: readonly string[], spans: readonly Span[], offset: number): number {
  let replaced = 0;
  for (const [index, { start, end }] of spans.entries()) {
    const before = replaced + (pieces[2 * index] ?? '').length;
    if (offset < before) return start - (before - offset);
    replaced = before + (pieces[2 * index + 1] ?? '').length;
    if (offset < replaced) return start;
    if (index === spans.length - 1) return end + (offset - replaced);
  }
  return offset;
}
