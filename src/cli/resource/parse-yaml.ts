import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  type Scalar,
  type ScalarTag,
  type Tags,
} from 'yaml';
import { Failure, messageOf, usage } from '../../core/failure.ts';
import { Exact, type Json } from '../../core/json.ts';

const OPTIONS = {
  version: '1.2',
  merge: true,
  logLevel: 'error',
  customTags: (tags: Tags): Tags => [exactInteger, exactFloat, ...tags],
} as const;

export interface YamlDocument {
  readonly value: Json;
  /** `FILE:3:5` of the member, or of the nearest member around it that is written out. */
  readonly at: (path: readonly string[]) => string;
}

/** The only document. */
export function parseYaml(text: string, from: string): Json {
  const [first, second] = parseYamlDocuments(text, from);
  if (second !== undefined) throw usage(`${from} holds several YAML documents: use one`);
  return first?.value ?? null;
}

/** YAML 1.2 with merge keys, without empty documents; numbers stay exact. Usage (2) with its place. */
export function parseYamlDocuments(text: string, from: string): readonly YamlDocument[] {
  const lines = new LineCounter();
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${from}:${line}:${col}`;
  };
  try {
    return [...parseAllDocuments(text, { ...OPTIONS, lineCounter: lines })].flatMap((document) => {
      const value = valueOf(document, place);
      return value === null ? [] : [{ value, at: (path: readonly string[]) => place(offsetOf(document, path)) }];
    });
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw usage(`${from} cannot be read as YAML: ${messageOf(error)}`);
  }
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

function valueOf(document: Document.Parsed, place: (offset: number) => string): Json {
  const [error] = document.errors;
  if (error === undefined) return plain(document.toJS({ maxAliasCount: 1000 }));
  throw usage(
    `${place(error.pos[0])}: not YAML: ${error.message.replace(/ at line[^]*/, '')}`,
    // Inside { }, the braces of ${NAME} are those of YAML.
    error.message.includes('flow-map-start') ? 'A value with { or } is written in quotes: "${NAME}".' : undefined,
  );
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

/** Missing values become null. An alias to a node around it nests without end. */
function plain(value: unknown): Json {
  if (value === undefined) return null;
  if (value instanceof Exact || value === null || typeof value !== 'object') return value as Json;
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}
