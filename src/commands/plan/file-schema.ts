/** The JSON Schema of a document, made of the tables of fields. Editors have it, and documents are checked by it. */
import { Exact, isList, isObject, type Json, type JsonObject, memberOf, objectOf } from '../../core/json.ts';
import { bodyOf } from '../../cli/resource/field-writes.ts';
import type { Field, FieldType, FieldWrite } from '../../cli/resource/fields.ts';
import { didYouMean } from '../../cli/words.ts';
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
  const paths = [...accepted, ...bodyOf(kind.table, 'create').prints, 'id', 'createdAt', 'template'];
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
  const summary = [field?.create, field?.update, field?.write].flatMap(summaryOf)[0];
  return {
    ...(values === undefined ? TYPES[type] : { enum: values }),
    ...(summary === undefined ? {} : { description: summary }),
  };
}

const summaryOf = (write: FieldWrite | undefined): readonly string[] =>
  write === undefined || write === 'accepted' ? [] : ['param' in write ? write.param.summary : write.summary];

type Fails = (path: readonly string[], problem: string, hint?: string) => never;

/** By the keywords that `kindSchema` uses. Only the type of a wrong value is said: it may come from a secret variable. */
export function checkValue(schema: JsonObject, value: Json, fails: Fails, path: readonly string[] = []): void {
  const types = [schema['type'] ?? []].flat() as readonly string[];
  const choices = (schema['enum'] ?? []) as readonly string[];
  const type = typeOf(value);
  if (types.length > 0 && !types.includes(type)) {
    const isUnquoted = types.includes('string') && (type === 'number' || type === 'boolean');
    const wanted = types.filter((each) => each !== 'null').map((each) => WORDS[each] ?? each);
    fails(path, `must be ${wanted.join(' or ')}, not ${WORDS[type] ?? type}`, isUnquoted ? 'Use quotes.' : undefined);
  }
  if (choices.length > 0 && !(typeof value === 'string' && choices.includes(value)))
    fails(
      path,
      `must be one of ${choices.join(', ')}`,
      typeof value === 'string' ? didYouMean(value, choices) : undefined,
    );
  if (isList(value))
    for (const [at, each] of value.entries()) checkMember(schema['items'], each, fails, [...path, String(at)]);
  else if (isObject(value))
    for (const [name, each = null] of Object.entries(value)) {
      const known = memberOf(schema['properties'], name) ?? schema['additionalProperties'];
      const others = Object.keys(objectOf(schema['properties']) ?? {});
      if (known === false)
        fails([...path, name], 'is unknown', didYouMean(name, others) ?? `Known: ${others.join(', ')}`);
      checkMember(known, each, fails, [...path, name]);
    }
}

const checkMember = (schema: Json | undefined, value: Json, fails: Fails, path: readonly string[]): void => {
  if (isObject(schema)) checkValue(schema, value, fails, path);
};

const typeOf = (value: Json): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : value instanceof Exact ? 'number' : typeof value;

const WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};
