import type * as Yaml from 'yaml';
import { Exact, type Json } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import type { FormatPrinter } from './format-printer.ts';
import { documentOf } from './json.ts';
import { pickFields } from './fields.ts';

/** The document as YAML; rows that arrive one at a time form one list. */
export const yamlPrinter: FormatPrinter = {
  result: (result, { fields }) => toYaml(documentOf(result, fields)),
  rows: (_view, { fields }) => ({
    row: (value) => toYaml([fields === undefined ? value : pickFields(value, fields)]),
    end: (empty) => (empty ? '[]\n' : ''),
  }),
};

/**
 * Renders a value as YAML 1.2 that a YAML 1.1 parser reads the same way: strings such as `no` or `1e3` are quoted, numbers
 * stay as the service sent them, strings of several lines are blocks. Control and hidden characters are escaped, because
 * YAML does not allow them. The library is loaded only here.
 */
export async function toYaml(value: Json): Promise<string> {
  const yaml = await import('yaml');
  if (!Array.isArray(value) || value.length === 0) return encode(yaml, value);
  let text = '';
  for (let at = 0; at < value.length; at += BATCH_ITEMS)
    text += encode(yaml, value.slice(at, at + BATCH_ITEMS) as Json);
  return text;
}

/** So many items of a list are encoded at once: memory that is used for a short time is freed much faster. */
const BATCH_ITEMS = 100;

function encode({ Document, Scalar, visit }: typeof Yaml, value: Json): string {
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
