import { Exact, type Json } from '../../core/json.ts';
import { safeText } from '../../core/safe-text.ts';

/**
 * Values as YAML 1.2 that a reader of 1.1 understands the same way: text such as `no` or `1e3` in quotes, numbers as
 * the service wrote them, text of several lines as a block. A control or a hidden character is a YAML escape: YAML
 * allows none raw. The library is loaded here and nowhere else.
 */
export async function toYaml(value: Json): Promise<string> {
  const { Document, Scalar, visit } = await import('yaml');
  const document = new Document(value, {
    compat: 'yaml-1.1',
    aliasDuplicateObjects: false,
    customTags: (tags) => [
      {
        identify: (each: unknown) => each instanceof Exact,
        default: true,
        tag: 'tag:yaml.org,2002:float',
        resolve: (text: string) => text,
        // Never reached when reading: nothing is read here.
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
