import type { ParquetType, SchemaElement } from 'hyparquet';
import type { Levels } from './check-pages.ts';
import { NotReadable } from './not-readable.ts';

/** A column of a Parquet file, or a part of a nested one. */
export interface Column {
  readonly name: string;
  /** As the file describes it. */
  readonly element: SchemaElement;
  readonly children: readonly Column[];
  /** Its path in the schema that the package reads. */
  readonly key: readonly string[];
  /** The numbers of the leaves below it, or of itself. */
  readonly leaves: readonly number[];
}

/** A column that has values of its own. */
export interface Leaf {
  /** As the file names it. */
  readonly path: readonly string[];
  readonly key: readonly string[];
  readonly type: ParquetType;
  readonly levels: Levels;
}

const MAX_LEAVES = 10_000;
const MAX_DEPTH = 64;

/**
 * Checks a schema and returns its columns, and the same schema for the package that reads the values. There each part
 * has a number as its name, because the package joins names with dots and uses them as members of objects: `a.b` and
 * `__proto__` are names too. It keeps no type but text and lists: the package would round a decimal and a nanosecond.
 * Fails with NotReadable.
 */
export function buildColumns(elements: readonly SchemaElement[]) {
  const leaves: Leaf[] = [];
  const [root] = elements;
  if (root === undefined) throw new NotReadable('its schema is empty');
  let next = 1;
  const schema: SchemaElement[] = [{ ...plainElement(root), name: 'root' }];

  const build = (names: readonly string[], keys: readonly string[], above: Levels): Column => {
    const element = elements[next];
    if (element === undefined) throw new NotReadable('its schema breaks off');
    if (keys.length >= MAX_DEPTH) throw new NotReadable(`its columns are nested deeper than ${MAX_DEPTH} levels`);
    const { name } = element;
    const path = [...names, name];
    const key = [...keys, `c${next}`];
    next += 1;
    const plain: SchemaElement = { ...plainElement(element), name: key.at(-1) ?? '' };
    schema.push(plain);
    const levels = {
      repetition: above.repetition + (element.repetition_type === 'REPEATED' ? 1 : 0),
      definition: above.definition + (element.repetition_type === 'REQUIRED' ? 0 : 1),
    };
    const firstLeaf = leaves.length;
    const count = element.num_children ?? 0;
    if (element.type !== undefined && count > 0) throw new NotReadable('its schema contradicts itself');
    if (element.type === undefined) {
      if (count < 1) throw new NotReadable(`its column ${JSON.stringify(path.join('.'))} has no values`);
      const children = childrenOf(count, () => build(path, key, levels), path);
      const column = { name, element, children, key, leaves: range(firstLeaf, leaves.length) };
      if (listItem(column) !== undefined) plain.converted_type = 'LIST';
      return column;
    }
    leaves.push({ path, key, type: element.type, levels });
    if (leaves.length > MAX_LEAVES) throw new NotReadable(`it has more than ${MAX_LEAVES} columns`);
    return { name, element, children: [], key, leaves: [firstLeaf] };
  };
  const columns = childrenOf(root.num_children ?? 0, () => build([], [], { repetition: 0, definition: 0 }), []);
  if (columns.length === 0) throw new NotReadable('it has no columns');
  if (next !== elements.length) throw new NotReadable('its schema contradicts itself');
  return { columns, leaves, schema };
}

function childrenOf(count: number, build: () => Column, path: readonly string[]): readonly Column[] {
  const names = new Set<string>();
  const children: Column[] = [];
  for (let index = 0; index < count; index++) {
    const child = build();
    if (names.has(child.name))
      throw new NotReadable(
        `two of its columns are named ${JSON.stringify([...path, child.name].join('.'))}`,
        'A JSON object has each name once: rename one of them.',
      );
    names.add(child.name);
    children.push(child);
  }
  return children;
}

const range = (from: number, to: number): readonly number[] => Array.from({ length: to - from }, (_, at) => from + at);

/** True for text, also for JSON and the names of an enumeration. */
export const isText = ({ type, converted_type, logical_type }: SchemaElement): boolean =>
  type === 'BYTE_ARRAY' &&
  (converted_type === 'UTF8' ||
    converted_type === 'ENUM' ||
    converted_type === 'JSON' ||
    logical_type?.type === 'STRING' ||
    logical_type?.type === 'ENUM' ||
    logical_type?.type === 'JSON');

const isList = ({ converted_type, logical_type }: SchemaElement): boolean =>
  converted_type === 'LIST' || logical_type?.type === 'LIST';

/** The items of a list, which the format stores in one or two levels below it; undefined for any other column. */
export function listItem({ element, children }: Column): Column | undefined {
  const [repeated, ...others] = children;
  if (!isList(element) || repeated?.element.repetition_type !== 'REPEATED' || others.length > 0) return undefined;
  return repeated.children.length > 1 ? undefined : (repeated.children[0] ?? repeated);
}

export const isMap = ({ converted_type, logical_type }: SchemaElement): boolean =>
  converted_type === 'MAP' || converted_type === 'MAP_KEY_VALUE' || logical_type?.type === 'MAP';

function plainElement(element: SchemaElement): Omit<SchemaElement, 'name'> {
  const { type, type_length, repetition_type, num_children } = element;
  return {
    ...(type === undefined ? {} : { type }),
    ...(type_length === undefined ? {} : { type_length }),
    ...(repetition_type === undefined ? {} : { repetition_type }),
    ...(num_children === undefined ? {} : { num_children }),
    ...(isText(element) ? { converted_type: 'UTF8' as const } : {}),
  };
}
