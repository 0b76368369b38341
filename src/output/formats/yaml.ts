/**
 * YAML of ordinary values, byte for byte as the library writes it and much faster: strings that are plain, quoted on one
 * line, or simple blocks of lines. Anything else is refused, and the library writes it.
 */

import type * as Yaml from 'yaml';
import { Exact, isList, type Json, type JsonObject } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import { groupsOf, pickFields } from '../fields.ts';
import { documentOf } from './json.ts';
import type { FormatPrinter } from '../view.ts';

/** Whether a YAML reader takes plain text for another type than a string: `no`, `1e3`, `2026-01-01`. */
type IsTyped = (text: string) => boolean;

/** Undefined when the library must write it. */
export function ordinaryYaml(value: Json, isTyped: IsTyped): string | undefined {
  if (!isFilled(value)) return undefined;
  const writer = new Writer(isTyped);
  return writer.block(value, '') ? writer.pieces.join('') : undefined;
}

const MAX_NAME = 200;

class Writer {
  readonly pieces: string[] = [];
  readonly #isTyped: IsTyped;

  constructor(isTyped: IsTyped) {
    this.#isTyped = isTyped;
  }

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

type Filled = readonly Json[] | JsonObject;

const isFilled = (value: Json): value is Filled =>
  typeof value === 'object' && value !== null && !(value instanceof Exact) && Object.keys(value).length > 0;

const isArray = (value: Filled): value is readonly Json[] => Array.isArray(value);

const SIMPLE = /^[A-Za-z/_](?:[\w./@+=,();-]|[ :](?=[\w./@+=,();-]))*$/;
/** Simple words that may be of another type: `null`, `true`, `FALSE`, `yes`, `Off`; and `E0`, which is a number in YAML 1.1. */
const MAYBE_TYPED = /^(?:[nNtTfFyYoO].{0,4}|[eE][-+]?\d+)$/;

const NEEDS_QUOTES = /^[ ,[\]{}#&*!|>'"%@`]|^[?-]$|^[?-] |: | #|[ :]$/;

const DOCUMENT_MARKER = /^(?:%|---|\.\.\.)/m;

function lines(text: string, margin: string): string | undefined {
  const end = text.endsWith('\n') ? text.length - 1 : text.length;
  const isSimple = !/^[ \n]|\t/.test(text) && !/[ \n]/.test(text.charAt(end - 1));
  if (!isSimple || end === 0 || safeText(text, true) !== text || DOCUMENT_MARKER.test(text)) return undefined;
  return `|${end < text.length ? '' : '-'}\n${margin}${text.slice(0, end).replace(/\n+/g, `$&${margin}`)}`;
}

export const yamlPrinter: FormatPrinter = {
  result: (result, { fields }) => yamlTexts(documentOf(result, fields)),
  rows: (_view, { fields }) => ({
    rows: (values) => toYaml(fields === undefined ? values : values.map((value) => pickFields(value, fields))),
    end: (empty) => (empty ? '[]\n' : ''),
  }),
};

/** YAML 1.2 that a YAML 1.1 parser reads the same way: `no` and `1e3` are quoted. Numbers stay exact. */
export async function toYaml(value: Json): Promise<string> {
  let text = '';
  for await (const part of yamlTexts(value)) text += part;
  return text;
}

async function* yamlTexts(value: Json): AsyncGenerator<string> {
  const yaml = await import('yaml');
  const isTyped = typedBy(yaml);
  const encodeAny = (each: Json): string => ordinaryYaml(each, isTyped) ?? encode(yaml, each);
  if (isList(value) && value.length > 0)
    for (const items of groupsOf(value)) yield items.map((item) => encodeAny([item])).join('');
  else yield encodeAny(value);
}

/** Asks the types of YAML 1.2 and 1.1 whether a plain text is one of their values. */
export function typedBy({ Document }: typeof Yaml): IsTyped {
  const { tags, compat } = new Document(null, { compat: 'yaml-1.1' }).schema;
  const tests = [...tags, ...(compat ?? [])].flatMap((tag) =>
    tag.default && tag.tag !== 'tag:yaml.org,2002:str' && 'test' in tag ? (tag.test ?? []) : [],
  );
  return (text) => tests.some((test) => test.test(text));
}

export function encode({ Document, Scalar, visit }: typeof Yaml, value: Json): string {
  const document = new Document(value, {
    compat: 'yaml-1.1',
    aliasDuplicateObjects: false,
    customTags: (tags) => [
      {
        identify: (each: unknown) => each instanceof Exact,
        default: true,
        tag: 'tag:yaml.org,2002:float',
        resolve: (text: string) => text,
        // Never matches: nothing is parsed here.
        test: /^$.^/,
        stringify: ({ value: exact }) => String(exact),
      },
      ...tags,
    ],
  });
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value === 'string' && isHarmful(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return escapeHarmful(document.toString({ lineWidth: 0 }));
}

const isHarmful = (text: string): boolean => safeText(text, true) !== text;

const escapeHarmful = (yaml: string): string =>
  isHarmful(yaml) ? yaml.replace(/[^\n\t\u0020-\u007e]/gu, (each) => (isHarmful(each) ? escaped(each) : each)) : yaml;

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  if (code.length <= 2) return `\\x${code.padStart(2, '0')}`;
  return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\U${code.padStart(8, '0')}`;
}
