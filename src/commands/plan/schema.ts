/** The JSON Schema of a document, made of the tables of fields. Editors have it, and documents are checked by it. */
import type { Field, FieldType } from '../../cli/resource/fields.ts';
import { paramOf } from '../../cli/model/params.ts';
import { printedPaths } from '../../cli/resource/body-members.ts';
import { didYouMean } from '../../cli/words.ts';
import { Exact, isList, isObject, type Json, type JsonObject, memberOf, objectOf } from '../../core/json.ts';
import { acceptedPaths, FILE_KINDS, type FileKind, KINDS } from './kinds.ts';

const TEXT = { type: ['string', 'null'] } as const;
const NUMBERS = ['count', 'gigabytes', 'seconds', 'milliseconds', 'dollars', 'percent'] as const;

/** Null clears a member that can be empty. */
const TYPES: Readonly<Partial<Record<FieldType, JsonObject>>> = {
  text: TEXT,
  flag: { type: 'boolean' },
  list: { type: ['array', 'null'], items: { type: 'string' } },
  pairs: { type: ['object', 'null'], additionalProperties: TEXT },
  object: { type: ['object', 'null'] },
  objects: { type: ['array', 'null'] },
  ...Object.fromEntries(NUMBERS.map((type) => [type, { type: 'number' }])),
};

export const fileSchema = (): JsonObject => ({ anyOf: KINDS.map((name) => kindSchema(FILE_KINDS[name])) });

export function kindSchema(kind: FileKind): JsonObject {
  const accepted = acceptedPaths(kind);
  const paths = [...accepted, ...printedPaths(kind.table), 'id', 'createdAt', 'template'];
  const schemaAt = (path: string): JsonObject => {
    if (accepted.includes(path)) return fieldSchema(kind, path);
    if (!accepted.some((each) => each.startsWith(`${path}.`))) return { description: 'shown by get, and left out' };
    const properties = schemasBelow(`${path}.`);
    const item = { type: 'object', properties, additionalProperties: false };
    return { ...item, type: ['object', 'array', 'null'], items: item };
  };
  const schemasBelow = (prefix: string): JsonObject => {
    const below = paths.flatMap((path) =>
      path.startsWith(prefix) ? (path.slice(prefix.length).split('.', 1)[0] ?? []) : [],
    );
    return Object.fromEntries([...new Set(below)].map((name) => [name, schemaAt(prefix + name)]));
  };
  return {
    type: 'object',
    title: kind.name,
    required: ['kind', 'name'],
    properties: {
      ...schemasBelow(''),
      ...Object.fromEntries(kind.words.map((word) => [word, TEXT])),
      ...(kind.name === 'pod' ? { globalNetworking: { description: 'true or false, or what get prints' } } : {}),
      kind: { const: kind.name },
      name: { type: 'string', minLength: 1 },
      id: { type: 'string', description: 'pins one of several of this name' },
    },
    additionalProperties: false,
  };
}

function fieldSchema({ table }: FileKind, path: string): JsonObject {
  const field = Object.values<Field>(table.fields).find((each) => each.path === path);
  const { type = 'text', values } = field ?? {};
  const write = [field?.create, field?.update, field?.write].find((each) => each !== undefined && each !== 'accepted');
  const summary = write && paramOf(write).summary;
  return {
    ...(values === undefined ? TYPES[type] : { enum: values }),
    ...(summary === undefined ? {} : { description: summary }),
  };
}

type Fails = (path: readonly string[], problem: string, hint?: string) => never;

/** By the keywords that `kindSchema` uses. Only the type of a wrong value is said: it may come from a secret variable. */
export function checkValue(schema: Json | undefined, value: Json, fails: Fails, path: readonly string[] = []): void {
  if (!isObject(schema)) return;
  const types = [schema['type'] ?? []].flat() as readonly string[];
  const choices = schema['enum'] as readonly string[] | undefined;
  const type = typeOf(value);
  if (types.length > 0 && !types.includes(type)) {
    const isUnquoted = types.includes('string') && (type === 'number' || type === 'boolean');
    const wanted = types.filter((each) => each !== 'null').map((each) => WORDS[each] ?? each);
    fails(path, `must be ${wanted.join(' or ')}, not ${WORDS[type] ?? type}`, isUnquoted ? 'Use quotes.' : undefined);
  }
  const word = typeof value === 'string' ? value : '';
  if (choices?.includes(word) === false)
    fails(path, `must be one of ${choices.join(', ')}`, word === '' ? undefined : didYouMean(word, choices));
  if (isList(value))
    for (const [at, each] of value.entries()) checkValue(schema['items'], each, fails, [...path, String(at)]);
  const properties = objectOf(schema['properties']) ?? {};
  for (const [name, each = null] of Object.entries(objectOf(value) ?? {})) {
    const known = memberOf(properties, name) ?? schema['additionalProperties'];
    const names = Object.keys(properties);
    if (known === false) fails([...path, name], 'is unknown', didYouMean(name, names) ?? `Known: ${names.join(', ')}`);
    checkValue(known, each, fails, [...path, name]);
  }
}

const typeOf = (value: Json): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : value instanceof Exact ? 'number' : typeof value;

const WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};
