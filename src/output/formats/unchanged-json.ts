/**
 * Faster code for documents whose text is exactly what JSON.stringify writes: most services send such texts. Encoding
 * the decoded value of such a text loses nothing, and `JSON.stringify` is many times faster than copying each token.
 */
import { memberSource } from '../../core/json-source.ts';
import type { Json } from '../../core/json.ts';

/** A value whose source text equals its compact JSON. */
export interface Canonical {
  readonly value: Json;
  /** The source. */
  readonly text: string;
}

/** Undefined when the source differs from the compact encoding of its value. */
export function canonicalValue(value: Json, source: string): Canonical | undefined {
  const text = encode(value);
  return text === source.trim() ? { value, text } : undefined;
}

/**
 * Finds the rows in a document, under a top-level member. Undefined when the source of that member differs from the
 * compact encoding of the rows. The rest of the document is scanned; it is short.
 */
export function canonicalRows(rows: readonly Json[], source: string, member: string): Canonical | undefined {
  const text = encode(rows);
  const at = text === undefined ? -1 : source.indexOf(text);
  if (text === undefined || at < 0) return undefined;
  const rest = `${source.slice(0, at)}null${source.slice(at + text.length)}`;
  return memberSource(rest, member) === 'null' ? { value: rows, text } : undefined;
}

/** A line that is indented deeper than `indentJson` does. */
const TOO_DEEP = /\n {130}/;

/** Returns the value indented as `indentJson` does; undefined when it is nested too deeply for that. */
export function indentCanonical({ value }: Canonical): string | undefined {
  const text = JSON.stringify(value, undefined, 2);
  return TOO_DEEP.test(text) ? undefined : text;
}

/** Undefined when the value is nested too deeply for the engine, or too long for a string. */
function encode(value: Json): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
