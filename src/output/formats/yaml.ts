import type * as Yaml from 'yaml';
import { Exact, isList, type Json } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import { groupsOf, pickFields } from '../fields.ts';
import type { FormatPrinter } from '../view.ts';
import { documentOf } from './json.ts';

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
  if (isList(value) && value.length > 0) for (const items of groupsOf(value)) yield encode(yaml, items);
  else yield encode(yaml, value);
}

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
