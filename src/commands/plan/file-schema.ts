/** The JSON Schema of a document of `apply`, for editors: made of the tables of fields, which check documents too. */
import type { Json, JsonObject } from '../../core/json.ts';
import { bodyOf } from '../../cli/resource/field-writes.ts';
import { type Field, type FieldType, type FieldWrite, readPaths } from '../../cli/resource/fields.ts';
import { acceptedPaths } from './document.ts';
import { FILE_KINDS, KINDS, type FileKind } from './kinds.ts';

/** Null clears a member that can be empty. A type that is not here is not checked. */
const TYPES: Readonly<Partial<Record<FieldType, JsonObject>>> = {
  text: { type: ['string', 'null'] },
  flag: { type: 'boolean' },
  list: { type: ['array', 'null'] },
  pairs: { type: ['object', 'null'], additionalProperties: { type: ['string', 'null'] } },
  object: { type: ['object', 'null'] },
  ...Object.fromEntries(
    ['count', 'gigabytes', 'seconds', 'milliseconds', 'dollars', 'percent'].map((type) => [type, { type: 'number' }]),
  ),
};

export const fileSchema = (): JsonObject => ({ anyOf: KINDS.map((name) => kindSchema(FILE_KINDS[name])) });

function kindSchema(kind: FileKind): JsonObject {
  const { table, words, name } = kind;
  const accepted = acceptedPaths(kind);
  const root: Node = new Map();
  for (const path of accepted) place(root, path.split('.'), fieldSchema(fieldAt(kind, path)));
  for (const field of Object.values<Field>(table.fields))
    if (field.path !== undefined && accepted.some((path) => path.startsWith(`${field.path ?? ''}.`)))
      place(root, field.path.split('.'), {});
  // Read-only members that get prints are dropped from a document.
  const printed = [...readPaths(table), ...bodyOf(table, 'create').prints, 'id', 'createdAt', 'template'];
  for (const path of printed) {
    const [member = ''] = path.split('.');
    if (!root.has(member))
      root.set(member, { schema: { description: 'shown by get, and left out' }, inner: new Map() });
  }
  const members = Object.fromEntries([...root].map(([member, node]) => [member, schemaOf(node)]));
  return {
    type: 'object',
    title: name,
    required: ['kind', 'name'],
    properties: {
      ...members,
      ...Object.fromEntries(words.map((word) => [word, wordSchema(word)])),
      ...(name === 'pod' ? { globalNetworking: { description: 'true or false, or what get prints' } } : {}),
      kind: { const: name },
      name: { type: 'string', minLength: 1 },
      id: { type: 'string', description: 'pins one of several of this name' },
    },
    additionalProperties: false,
  };
}

const wordSchema = (word: string): JsonObject =>
  word === 'dataCenterId'
    ? { type: ['string', 'null'] }
    : { type: ['string', 'null'], description: `a ${word}, by name or id` };

interface Inner {
  readonly schema: JsonObject;
  readonly inner: Node;
}
type Node = Map<string, Inner>;

function place(node: Node, [name = '', ...rest]: readonly string[], schema: JsonObject): void {
  const known = node.get(name) ?? { schema: {}, inner: new Map<string, Inner>() };
  if (rest.length === 0) node.set(name, { ...known, schema: { ...schema, ...known.schema } });
  else {
    node.set(name, known);
    place(known.inner, rest, schema);
  }
}

/** Members that get prints beside them are left out. */
function schemaOf({ schema, inner }: Inner): Json {
  if (inner.size === 0) return schema;
  const properties = Object.fromEntries([...inner].map(([name, each]) => [name, schemaOf(each)]));
  return { ...schema, type: ['object', 'array', 'null'], properties, items: { type: 'object', properties } };
}

const fieldAt = ({ table }: FileKind, path: string): Field | undefined =>
  Object.values<Field>(table.fields).find((field) => field.path === path);

function fieldSchema(field: Field | undefined): JsonObject {
  const { type = 'text', values } = field ?? {};
  const summary = [field?.create, field?.update, field?.write].map(summaryOf).find((each) => each !== undefined);
  return {
    ...(values === undefined ? TYPES[type] : { enum: [...values] }),
    ...(summary === undefined ? {} : { description: summary }),
  };
}

const summaryOf = (write: FieldWrite | undefined): string | undefined =>
  write === undefined || write === 'accepted' ? undefined : 'param' in write ? write.param.summary : write.summary;
