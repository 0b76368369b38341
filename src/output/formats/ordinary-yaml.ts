/**
 * YAML of ordinary values, byte for byte as the library writes it and much faster: strings that are plain, quoted on one
 * line, or simple blocks of lines. Anything else is refused, and the library writes it.
 */
import { Exact, type Json, type JsonObject } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';

/** Whether a YAML reader takes plain text for another type than a string: `no`, `1e3`, `2026-01-01`. */
export type IsTyped = (text: string) => boolean;

/** Returns an object or an array as YAML, with a line feed at the end; undefined when it is not ordinary. */
export function ordinaryYaml(value: Json, isTyped: IsTyped): string | undefined {
  if (!isFilled(value)) return undefined;
  const writer = new Writer(isTyped);
  return writer.block(value, '') ? writer.pieces.join('') : undefined;
}

/** The text of names, which are alike in all rows. Longer names are not ordinary. */
const MAX_NAME = 200;

class Writer {
  readonly pieces: string[] = [];
  readonly #isTyped: IsTyped;

  constructor(isTyped: IsTyped) {
    this.#isTyped = isTyped;
  }

  /** Writes the lines of an object or array that is not empty. `margin` is before every line except the first one. */
  block(value: Filled, margin: string): boolean {
    let before = '';
    const next = (start: string, inner: Json): boolean => {
      this.pieces.push(before, start);
      before = margin;
      return this.#inner(inner, `${margin}  `, start === '-');
    };
    if (isArray(value)) return value.every((item) => next('-', item));
    return Object.entries(value).every(([name, member]) => {
      const shown = name.length > MAX_NAME || name.includes('\n') ? undefined : this.#line(name);
      return shown !== undefined && member !== undefined && next(`${shown}:`, member);
    });
  }

  /** Writes what follows a name or a dash, to the end of the line. */
  #inner(value: Json, margin: string, isItem: boolean): boolean {
    if (isFilled(value)) {
      this.pieces.push(isItem ? ' ' : `\n${margin}`);
      return this.block(value, margin);
    }
    const shown = this.#scalar(value, margin);
    if (shown === undefined) return false;
    this.pieces.push(' ', shown, '\n');
    return true;
  }

  #scalar(value: Json, margin: string): string | undefined {
    if (typeof value === 'string') return value.includes('\n') ? lines(value, margin) : this.#line(value);
    if (typeof value === 'number') return Object.is(value, -0) ? '-0' : JSON.stringify(value);
    if (value instanceof Exact) return value.text;
    if (value === null || typeof value === 'boolean') return String(value);
    return Array.isArray(value) ? '[]' : '{}';
  }

  /** Text on one line: plain where that is read as the same text, else quoted. */
  #line(text: string): string | undefined {
    if (SIMPLE.test(text) && !MAYBE_TYPED.test(text)) return text;
    if (text.includes('\t') || safeText(text, true) !== text || DOCUMENT_MARKER.test(text)) return undefined;
    if (!NEEDS_QUOTES.test(text) && !this.#isTyped(text)) return text;
    return text.includes('"') && !text.includes("'") ? `'${text}'` : JSON.stringify(text);
  }
}

/** An object or an array that is not empty. */
type Filled = readonly Json[] | JsonObject;

const isFilled = (value: Json): value is Filled =>
  typeof value === 'object' && value !== null && !(value instanceof Exact) && Object.keys(value).length > 0;

const isArray = (value: Filled): value is readonly Json[] => Array.isArray(value);

/** Words and punctuation that are plain in YAML, except that some short words are of another type. */
const SIMPLE = /^[A-Za-z/_](?:[\w./@+=,();-]|[ :](?=[\w./@+=,();-]))*$/;
/** Simple words that may be of another type: `null`, `true`, `FALSE`, `yes`, `Off`; and `E0`, which is a number in YAML 1.1. */
const MAYBE_TYPED = /^(?:[nNtTfFyYoO].{0,4}|[eE][-+]?\d+)$/;

/** Text on one line that begins with, contains or ends with an indicator of YAML. */
const NEEDS_QUOTES = /^[ ,[\]{}#&*!|>'"%@`]|^[?-]$|^[?-] |: | #|[ :]$/;

/** A line that could be taken for the beginning or the end of a document. */
const DOCUMENT_MARKER = /^(?:%|---|\.\.\.)/m;

/** A block of lines; undefined where it needs more than the lines as they are. */
function lines(text: string, margin: string): string | undefined {
  const end = text.endsWith('\n') ? text.length - 1 : text.length;
  const isSimple = !/^[ \n]|\t/.test(text) && !/[ \n]/.test(text.charAt(end - 1));
  if (!isSimple || end === 0 || safeText(text, true) !== text || DOCUMENT_MARKER.test(text)) return undefined;
  return `|${end < text.length ? '' : '-'}\n${margin}${text.slice(0, end).replace(/\n+/g, `$&${margin}`)}`;
}
