import { LineCounter, parseDocument, type ScalarTag } from 'yaml';
import { usage } from '../../core/failure.ts';
import { Exact, type Json } from '../../core/json.ts';

/**
 * A YAML 1.2 document, or JSON, with numbers kept exact. One document, no aliases (an alias can unfold without end).
 * Fails with usage (2) and the line and column.
 */
export function parseYaml(text: string, from: string): Json {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    version: '1.2',
    intAsBigInt: true,
    customTags: (tags) => [exactFloat, ...tags],
  });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw usage(
      `${from} is not YAML: line ${String(line)}, column ${String(col)}: ${error.message.split('\n')[0]?.replace(/ at line.*/, '') ?? ''}`,
    );
  }
  return plain(document.toJS({ maxAliasCount: 0 }));
}

/** A number with a point or an exponent, as it was written. */
const exactFloat: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  test: /^[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?$/,
  resolve: (text: string) =>
    JSON.stringify(Number(text)) === text || !/^-?\d/.test(text) ? Number(text) : new Exact(text),
};

function plain(value: unknown): Json {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : new Exact(String(value));
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Exact || value === null || typeof value !== 'object') return value as Json;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}
