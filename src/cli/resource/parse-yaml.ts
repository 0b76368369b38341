import { isScalar, LineCounter, parseDocument, visit, type Document, type ScalarTag } from 'yaml';
import { Failure, usage } from '../../core/failure.ts';
import { Exact, type Json } from '../../core/json.ts';

/** How often aliases may repeat what they name before the document counts as a bomb (yaml's own measure). */
const MOST_ALIASES = 1000;

/** Values that a document may have once its aliases are resolved. */
const MOST_VALUES = 2_000_000;

/**
 * A YAML 1.2 document, or JSON, with numbers kept exact. Aliases are resolved, and merge keys (`<<`) as YAML 1.1 does.
 * One document. Fails with usage (2), with the line and column where they are known; also for aliases that unfold
 * without end.
 */
export function parseYaml(text: string, from: string): Json {
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      version: '1.2',
      intAsBigInt: true,
      merge: true,
      logLevel: 'error',
      // The library compares every key with every other one; `firstDuplicate` does it in one pass.
      uniqueKeys: false,
      customTags: (tags) => [exactFloat, ...tags],
    });
    const [error] = document.errors;
    const problem =
      error === undefined
        ? firstDuplicate(document)
        : { at: error.pos[0], message: error.message.split('\n', 1)[0] ?? '' };
    if (problem !== undefined) {
      const { line, col } = lines.linePos(problem.at);
      throw usage(
        `${from} is not YAML: line ${String(line)}, column ${String(col)}: ${reasonOf(problem.message.replace(/ at line.*/, ''))}`,
      );
    }
    return plain(document.toJS({ maxAliasCount: MOST_ALIASES }), from);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw usage(`${from} cannot be read as YAML: ${reasonOf(error instanceof Error ? error.message : String(error))}`);
  }
}

/** What the library says of trouble that is not of syntax, in words for a person. */
function reasonOf(message: string): string {
  if (message.includes('call stack')) return 'it is nested too deeply';
  if (message.startsWith('Excessive alias count')) return 'its aliases unfold to too much';
  return message.split('\n', 1)[0] ?? '';
}

/** The first key that stands twice in one map. */
function firstDuplicate(document: Document.Parsed): { readonly at: number; readonly message: string } | undefined {
  let found: { at: number; message: string } | undefined;
  visit(document, {
    Map: (_key, map) => {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        if (!isScalar(key) || key.value === '<<') continue;
        if (seen.has(key.value)) {
          found = { at: key.range?.[0] ?? 0, message: 'Map keys must be unique' };
          return visit.BREAK;
        }
        seen.add(key.value);
      }
      return undefined;
    },
  });
  return found;
}

/** A number with a point or an exponent, as it was written. */
const exactFloat: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  test: /^[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?$/,
  resolve: (text: string) =>
    JSON.stringify(Number(text)) === text || !/^-?\d/.test(text) ? Number(text) : new Exact(text),
};

/** The document as JSON values. Fails with usage (2) where an alias lies within what it names, or it is too large. */
function plain(document: unknown, from: string): Json {
  const around = new Set<object>();
  let count = 0;
  const walk = (value: unknown): Json => {
    if (++count > MOST_VALUES) throw usage(`${from} cannot be read as YAML: its aliases unfold to too much`);
    if (typeof value === 'bigint')
      return Number.isSafeInteger(Number(value)) ? Number(value) : new Exact(String(value));
    if (value === undefined) return null;
    if (value instanceof Exact || value === null || typeof value !== 'object') return value as Json;
    if (around.has(value)) throw usage(`${from} cannot be read as YAML: an alias lies within what it names`);
    around.add(value);
    const made = Array.isArray(value)
      ? value.map(walk)
      : Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, walk(inner)]));
    around.delete(value);
    return made;
  };
  return walk(document);
}
