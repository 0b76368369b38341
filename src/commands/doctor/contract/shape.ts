/** What a schema of an OpenAPI document allows, with references resolved and `allOf`, `anyOf` and `oneOf` merged. */
import { EXIT } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import {
  encodeJson,
  isObject,
  itemsAt,
  memberOf,
  objectOf,
  stringOf,
  stringsOf,
  type Json,
} from '../../../core/json.ts';

export interface Shape {
  /** JSON types; none where any type is allowed. */
  readonly types: ReadonlySet<string>;
  /** The allowed values as JSON text; undefined where there is no enum. */
  readonly values: ReadonlySet<string> | undefined;
  /** Bounds and other rules by keyword, such as `minimum`. */
  readonly bounds: ReadonlyMap<string, Json>;
  /** Schemas by the name of the member. The schema of further members is under `*`. */
  readonly members: ReadonlyMap<string, Json>;
  readonly required: ReadonlySet<string>;
  readonly items: Json | undefined;
}

/** Gives the shape of a schema. Fails (7) when the document is too large to be compared. */
export type ShapeOf = (schema: Json | undefined) => Shape;

const ANY: Shape = {
  types: new Set(),
  values: undefined,
  bounds: new Map(),
  members: new Map(),
  required: new Set(),
  items: undefined,
};

const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const SIZES = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties', 'uniqueItems'];
const BOUNDS = [...NUMBERS, ...SIZES, 'pattern'];

/** Schemas nested in schemas by references: a chain that is longer than this is not followed. */
const MAX_DEPTH = 100;

/** Members that are looked at in one document: a hundred times as many as the service has. */
const MAX_MEMBERS = 500_000;

/** The object that a reference within the document names; the value itself where it is no reference. */
export function resolve(document: Json, value: Json | undefined): Json | undefined {
  let at = value;
  for (let steps = 0; steps < MAX_DEPTH; steps++) {
    const reference = stringOf(memberOf(at, '$ref'));
    if (reference === undefined) return at;
    if (!reference.startsWith('#/')) return undefined;
    const names = reference.slice(2).split('/');
    at = names.reduce<Json | undefined>(
      (node, name) => memberOf(node, name.replaceAll('~1', '/').replaceAll('~0', '~')),
      document,
    );
  }
  return undefined;
}

/** Each schema is read once, so that references in circles end and a chain of unions does not multiply. */
export function shapesOf(document: Json): ShapeOf {
  const known = new WeakMap<object, Shape>();
  let read = 0;

  const shapeOf = (schema: Json | undefined, depth: number): Shape => {
    const node = resolve(document, schema);
    if (!isObject(node) || depth > MAX_DEPTH) return ANY;
    const before = known.get(node);
    if (before !== undefined) return before;
    known.set(node, ANY);
    const parts = [ownShape(node), ...itemsAt(node, 'allOf').map((part) => shapeOf(part, depth + 1))];
    for (const keyword of ['anyOf', 'oneOf']) {
      const choices = itemsAt(node, keyword);
      if (choices.length > 0) parts.push(eitherOf(choices.map((choice) => shapeOf(choice, depth + 1))));
    }
    for (const { members } of parts) read += 1 + members.size;
    if (read > MAX_MEMBERS) throw tooLarge();
    const shape = parts.length === 1 ? (parts[0] ?? ANY) : allOf(parts);
    known.set(node, shape);
    return shape;
  };
  return (schema) => shapeOf(schema, 0);
}

const tooLarge = (): Failure =>
  new Failure({
    code: 'unavailable',
    exit: EXIT.unavailable,
    message: 'the published document is too large to be compared',
  });

function ownShape(node: Json): Shape {
  const type = memberOf(node, 'type');
  const constant = memberOf(node, 'const');
  const values = constant === undefined ? itemsAt(node, 'enum') : [constant];
  const others = objectOf(memberOf(node, 'additionalProperties'));
  const members = new Map<string, Json>();
  for (const [name, schema] of Object.entries(objectOf(memberOf(node, 'properties')) ?? {}))
    if (schema !== undefined) members.set(name, schema);
  if (others !== undefined) members.set('*', others);
  return {
    types: new Set(typeof type === 'string' ? [type] : stringsOf(type)),
    values:
      values.length === 0 ? undefined : new Set(values.filter((value) => value !== null).map((v) => encodeJson(v))),
    bounds: new Map(
      BOUNDS.flatMap((keyword) => {
        const bound = memberOf(node, keyword);
        return bound === undefined ? [] : [[keyword, bound] as const];
      }),
    ),
    members,
    required: new Set(stringsOf(memberOf(node, 'required'))),
    items: memberOf(node, 'items'),
  };
}

/** A value that fits all of these shapes. */
const allOf = (parts: readonly Shape[]): Shape => ({
  types: new Set(parts.flatMap(({ types }) => [...types])),
  values: parts.find(({ values }) => values !== undefined)?.values,
  bounds: new Map(parts.flatMap(({ bounds }) => [...bounds])),
  members: mergedMembers(parts, 'allOf'),
  required: new Set(parts.flatMap(({ required }) => [...required])),
  items: merged(
    parts.flatMap(({ items }) => items ?? []),
    'allOf',
  ),
});

/** A value that fits one of these shapes. A choice of null only adds a type. */
function eitherOf(choices: readonly Shape[]): Shape {
  const solid = choices.filter(({ types, values }) => !(types.size === 1 && types.has('null')) && values?.size !== 0);
  const [first = ANY, ...rest] = solid;
  return {
    types: new Set([...choices.flatMap(({ types }) => [...types]), ...(solid.length < choices.length ? ['null'] : [])]),
    values: solid.every(({ values }) => values !== undefined)
      ? new Set(solid.flatMap(({ values }) => [...(values ?? [])]))
      : undefined,
    bounds: new Map(
      [...first.bounds].filter(([keyword, bound]) => rest.every((each) => sameJson(each.bounds.get(keyword), bound))),
    ),
    members: mergedMembers(solid, 'anyOf'),
    required: new Set([...first.required].filter((name) => rest.every(({ required }) => required.has(name)))),
    items: merged(
      solid.flatMap(({ items }) => items ?? []),
      'anyOf',
    ),
  };
}

function mergedMembers(parts: readonly Shape[], keyword: 'allOf' | 'anyOf'): ReadonlyMap<string, Json> {
  const found = new Map<string, Json[]>();
  for (const { members } of parts)
    for (const [name, schema] of members) {
      const same = found.get(name);
      if (same === undefined) found.set(name, [schema]);
      else same.push(schema);
    }
  return new Map([...found].map(([name, schemas]) => [name, merged(schemas, keyword) ?? {}]));
}

/** One schema is kept as the object that it is: it may have been read before. */
const merged = (schemas: readonly Json[], keyword: 'allOf' | 'anyOf'): Json | undefined =>
  schemas.length > 1 ? { [keyword]: schemas } : schemas[0];

const sameJson = (one: Json | undefined, other: Json | undefined): boolean =>
  one === undefined || other === undefined ? one === other : encodeJson(one) === encodeJson(other);
