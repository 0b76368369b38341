import type * as Yaml from 'yaml';
import { Exact, type Json, isList } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';
import type { FormatPrinter } from '../format-printer.ts';
import { documentOf } from './json.ts';
import { pickFields } from '../fields/fields.ts';
import { groupsOf } from '../fields/groups.ts';
import { ordinaryYaml, type IsTyped } from './ordinary-yaml.ts';

/** The document as YAML; rows that arrive in groups form one list. */
export const yamlPrinter: FormatPrinter = {
  result: (result, { fields }) => yamlTexts(documentOf(result, fields)),
  rows: (_view, { fields }) => ({
    rows: (values) => toYaml(fields === undefined ? values : values.map((value) => pickFields(value, fields))),
    end: (empty) => (empty ? '[]\n' : ''),
  }),
};

/**
 * Renders a value as YAML 1.2 that a YAML 1.1 parser reads the same way: strings such as `no` or `1e3` are quoted, numbers
 * stay as the service sent them, strings of several lines are blocks. Control and hidden characters are escaped, because
 * YAML does not allow them. The library is loaded only here.
 */
export async function toYaml(value: Json): Promise<string> {
  let text = '';
  for await (const part of yamlTexts(value)) text += part;
  return text;
}

/** Yields the YAML of a value; of a list in groups of items. */
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

/** Renders a value with the library. */
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
