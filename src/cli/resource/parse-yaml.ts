import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  parseDocument,
  type Scalar,
  type ScalarTag,
  type Tags,
  visit,
} from 'yaml';
import { Failure, messageOf, usage } from '../../core/failure.ts';
import { Exact, type Json } from '../../core/json.ts';

const MAX_ALIAS_COUNT = 1000;

/** Counted after aliases are resolved. */
const MAX_VALUES = 2_000_000;

const OPTIONS = {
  version: '1.2',
  merge: true,
  logLevel: 'error',
  // The package compares every key with every other key; `firstProblem` needs one pass.
  uniqueKeys: false,
  customTags: (tags: Tags): Tags => [exactInteger, exactFloat, ...tags],
} as const;

export interface YamlDocument {
  readonly value: Json;
  /** `FILE:3:5` of the member, or of the nearest member around it that is written out. */
  readonly at: (path: readonly string[]) => string;
}

/** YAML 1.2 with merge keys (`<<`); numbers stay exact. Usage (2) with line, also for too many values. */
export function parseYaml(text: string, from: string): Json {
  const lineCounter = new LineCounter();
  return inWords(from, () => valueOf(parseDocument(text, { ...OPTIONS, lineCounter }), lineCounter, from));
}

/** Leaves out empty documents. */
export function parseYamlDocuments(text: string, from: string): readonly YamlDocument[] {
  const lineCounter = new LineCounter();
  return inWords(from, () =>
    [...parseAllDocuments(text, { ...OPTIONS, lineCounter })].flatMap((document) => {
      const value = valueOf(document, lineCounter, from);
      const at = (path: readonly string[]): string => {
        const { line, col } = lineCounter.linePos(offsetOf(document, path));
        return `${from}:${line}:${col}`;
      };
      return value === null ? [] : [{ value, at }];
    }),
  );
}

function offsetOf({ contents }: Document.Parsed, path: readonly string[]): number {
  let [node, offset]: [unknown, number] = [contents, contents?.range[0] ?? 0];
  for (const name of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === name);
      if (pair === undefined) break;
      offset = (pair.key as Scalar).range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(name)];
      offset = (node as Scalar | undefined)?.range?.[0] ?? offset;
    } else break;
  }
  return offset;
}

function valueOf(document: Document.Parsed, lines: LineCounter, from: string): Json {
  const [error] = document.errors;
  const problem =
    error === undefined ? firstProblem(document) : { at: error.pos[0], message: error.message.split('\n', 1)[0] ?? '' };
  if (problem !== undefined) {
    const { line, col } = lines.linePos(problem.at);
    throw usage(
      `${from} is not YAML: line ${line}, column ${col}: ${reasonOf(problem.message.replace(/ at line.*/, ''))}`,
      // Inside { }, the braces of ${NAME} are those of YAML.
      problem.message.includes('flow-map-start') ? 'A value with { or } is written in quotes: "${NAME}".' : undefined,
    );
  }
  return plain(document.toJS({ maxAliasCount: MAX_ALIAS_COUNT }), from);
}

/** What the package throws fails with usage (2). */
function inWords<T>(from: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw usage(`${from} cannot be read as YAML: ${reasonOf(messageOf(error))}`);
  }
}

function reasonOf(message: string): string {
  if (message.includes('call stack')) return 'it is nested too deeply';
  if (message.startsWith('Excessive alias count')) return 'its aliases expand to too many values';
  return message.split('\n', 1)[0] ?? '';
}

/** A duplicate key in one map. */
function firstProblem(document: Document.Parsed): { readonly at: number; readonly message: string } | undefined {
  let found: { at: number; message: string } | undefined;
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key) || key.value === '<<') continue;
        if (seen.has(key.value)) found = { at: key.range?.[0] ?? 0, message: 'Map keys must be unique' };
        seen.add(key.value);
      }
      return found && visit.BREAK;
    },
  });
  return found;
}

/** Kept as text if a number would change it. */
const exactInteger: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^[-+]?\d+$/,
  resolve: (text: string) => (Number.isSafeInteger(Number(text)) ? Number(text) : new Exact(String(BigInt(text)))),
};

const exactFloat: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  test: /^[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?$/,
  resolve: (text: string) =>
    JSON.stringify(Number(text)) === text || !/^-?\d/.test(text) ? Number(text) : new Exact(text),
};

/** Usage (2) for an alias to a node around it, or for too many values. */
function plain(document: unknown, from: string): Json {
  const ancestors = new Set<object>();
  let count = 0;
  const walk = (value: unknown): Json => {
    if (++count > MAX_VALUES) throw usage(`${from} cannot be read as YAML: its aliases expand to too many values`);
    if (value === undefined) return null;
    if (value instanceof Exact || value === null || typeof value !== 'object') return value as Json;
    if (ancestors.has(value)) throw usage(`${from} cannot be read as YAML: an alias refers to a node that contains it`);
    ancestors.add(value);
    const made = Array.isArray(value)
      ? value.map(walk)
      : Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, walk(inner)]));
    ancestors.delete(value);
    return made;
  };
  return walk(document);
}
