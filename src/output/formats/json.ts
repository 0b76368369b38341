import { encodeJson, type Json } from '../../core/json.ts';
import { pickFields } from './fields.ts';
import { harmlessJson } from './escape-json.ts';
import { compactJson, indentJson, itemTexts, memberText } from './json-text.ts';
import type { Result } from '../view.ts';

type Data = Extract<Result, { kind: 'one' | 'many' }>;
type Fields = readonly string[] | undefined;

/**
 * A result as one JSON document, indented: the service's own text laid out anew where it is at hand, else the values.
 * A list is its array, or the document around it where that says more. With `--fields` the members picked, nested as they were. On a screen, what could mislead a
 * terminal is escaped within its strings.
 */
export function jsonDocument(result: Data, fields: Fields, onScreen: boolean): string {
  const source = fields === undefined ? (wholeText(result) ?? sourceText(result)) : undefined;
  const text = (source === undefined ? undefined : indentJson(source)) ?? encodeJson(documentOf(result, fields), 2);
  return onScreen ? harmlessJson(text) : text;
}

/** A result as JSON lines: each row compact, on a line of its own. */
export function jsonLines(result: Data, fields: Fields, onScreen: boolean): string {
  const source = fields === undefined ? sourceText(result) : undefined;
  const lines =
    (source === undefined ? undefined : sourceLines(source, result.kind)) ??
    rows(result, fields).map((row) => encodeJson(row));
  return lines.map((line) => `${onScreen ? harmlessJson(line) : line}\n`).join('');
}

/** The text of the rows alone: the document, or the array inside of it. */
function sourceText(result: Data): string | undefined {
  if (result.kind === 'one') return result.source;
  const { source } = result;
  return source?.member === undefined ? source?.text : memberText(source.text, source.member);
}

const wholeText = (result: Data): string | undefined =>
  result.kind === 'many' && result.whole !== undefined ? result.source?.text : undefined;

function sourceLines(source: string, kind: Data['kind']): readonly string[] | undefined {
  const lines = (kind === 'one' ? [source] : itemTexts(source)).map(compactJson);
  return lines.every((line) => line !== undefined) ? lines : undefined;
}

/** The value that JSON and YAML print: with fields, the rows thinned where they lie. */
export function documentOf(result: Data, fields: Fields): Json {
  const picked = rows(result, fields);
  if (result.kind === 'one') return picked[0] ?? null;
  return result.whole === undefined ? picked : { ...result.whole.document, [result.whole.member]: picked };
}

function rows(result: Data, fields: Fields): readonly Json[] {
  const all = result.kind === 'one' ? [result.value] : result.values;
  return fields === undefined ? all : all.map((row) => pickFields(row, fields));
}
