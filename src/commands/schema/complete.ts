import { arrayOf, isObject, stringOf, type Json, type JsonObject } from '../../core/json.ts';
import { CONTRACT_PREFIX, type OutputSchema } from '../../cli/model/output-schema.ts';

/** The schemas of the published contract, by name. */
type ContractSchemas = Readonly<Record<string, JsonObject>>;

/** The reference to a schema in the document of the contract. */
const PUBLISHED_PREFIX = '#/components/schemas/';

/** What a published schema is named with, besides its schema. */
interface Title {
  /** `pods get`, or `error`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
}

/**
 * A schema as it is published: a document of its own, with the schemas of the contract that it names. Fails with an Error
 * for a name that the contract does not have, which is a bug.
 */
export function completeSchema(schema: OutputSchema, contract: ContractSchemas, about: Title): JsonObject {
  const definitions = new Map<string, Json>();
  const add = (name: string): void => {
    if (definitions.has(name)) return;
    const found = Object.hasOwn(contract, name) ? contract[name] : undefined;
    if (found === undefined) throw new Error(`the contract has no schema ${name}`);
    definitions.set(name, null);
    definitions.set(name, openSchema(linked(found)));
  };
  /** The same schema with references into its own document. */
  const linked = (value: Json): Json => {
    if (arrayOf(value) !== undefined) return (arrayOf(value) ?? []).map(linked);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner = null]) => {
        const name = key === '$ref' ? contractName(stringOf(inner) ?? '') : undefined;
        if (name === undefined) return [key, linked(inner)];
        add(name);
        return [key, `#/$defs/${name}`];
      }),
    );
  };
  const body = linked(schema) as JsonObject;
  const names = [...definitions.keys()].sort();
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:berth:schema:${about.name.replaceAll(' ', '-')}`,
    title: about.title,
    description: about.description,
    ...body,
    ...(names.length === 0 ? {} : { $defs: Object.fromEntries(names.map((name) => [name, definitions.get(name)])) }),
  };
}

const contractName = (reference: string): string | undefined =>
  [CONTRACT_PREFIX, PUBLISHED_PREFIX].flatMap((prefix) =>
    reference.startsWith(prefix) ? [reference.slice(prefix.length)] : [],
  )[0];

/** Keywords that forbid members. */
const CLOSING = ['additionalProperties', 'unevaluatedProperties'];

/**
 * A schema of the contract as one of answers: the service may add members to objects and words to its enumerations, so
 * neither is forbidden.
 */
function openSchema(schema: Json): Json {
  if (arrayOf(schema) !== undefined) return (arrayOf(schema) ?? []).map(openSchema);
  if (!isObject(schema)) return schema;
  const { enum: words, ...others } = schema;
  const open = Object.fromEntries(
    Object.entries(others)
      .filter(([key, value]) => !(CLOSING.includes(key) && value === false))
      .map(([key, value = null]) => [key, openSchema(value)]),
  );
  if (words === undefined) return open;
  return others['type'] === 'string'
    ? { ...open, anyOf: [{ enum: words }, { type: 'string' }] }
    : { ...open, enum: words };
}
