import { isObject, memberAt, type Json, type JsonObject } from '../../../core/json.ts';
import {
  age,
  duration,
  gigabytes,
  jsonBlock,
  list,
  money,
  percent,
  status,
  text,
  yesNo,
} from '../../../output/cells/cell-functions.ts';
import { idOf, type Column, type Facts, type Section, type Shown, type View } from '../../../output/view.ts';
import type { Values } from '../../model/command.ts';
import type { CommandContext } from '../../model/context.ts';
import type { Param } from '../../model/params.ts';
import { memberLabel, otherMembers, pairs } from './detail-lines.ts';

/**
 * What a field holds: its JSON type and its unit. `time` is an RFC 3339 text, `flag` a boolean, `pairs` an object of
 * texts such as environment variables, `objects` an array of objects.
 */
export type FieldType =
  | 'text'
  | 'status'
  | 'time'
  | 'flag'
  | 'count'
  | 'dollars'
  | 'gigabytes'
  | 'seconds'
  | 'milliseconds'
  | 'percent'
  | 'list'
  | 'pairs'
  | 'object'
  | 'objects';

type Show = (row: Json, facts: Facts) => Shown;
type Lines = Section['lines'];

/** A flag whose value is not the field's value as it is. The flag is named after the field's key: `gpuCount` gives `--gpu-count`. */
export interface FieldFlag {
  readonly param: Param<unknown>;
  /** Where the value goes in the body, where that is not the field's path. */
  readonly path?: string;
  /** Converts the flag's value to JSON; `before` is what the body already has at the path. */
  readonly value?: (given: never, before: Json | undefined) => Json;
}

/** How a body may set a field: with a flag, or `accepted` with `--set` and `--file` only. Where absent, it may not. */
export type FieldWrite = 'accepted' | Param<unknown> | FieldFlag;

/** One field of a resource. */
export interface Field {
  /**
   * Where the value is in a row, such as `gpu.count`. Absent for what is computed from other fields to be shown, and for
   * a flag that sets a part of another field.
   */
  readonly path?: string;
  /** `text` where absent. */
  readonly type?: FieldType;
  /** The values that are known; a newer service may send others. */
  readonly values?: readonly string[];
  /** In detail views; the last name of the path where absent. */
  readonly label?: string;
  /** How the value is shown; by its type where absent. */
  readonly show?: Show;
  /** For detail views, where the field takes another number of lines than one. */
  readonly lines?: (row: Json, facts: Facts) => Lines;
  /** What its column has beside the header and the value that its label and its type give. */
  readonly column?: Partial<Column>;
  /** Never part of a row, only of a body. */
  readonly writeOnly?: true;
  /** In the body of a create and of an update. */
  readonly write?: FieldWrite;
  /** In the body of a create. */
  readonly create?: FieldWrite;
  /** In the body of an update. */
  readonly update?: FieldWrite;
  /**
   * Completes the value of a body with what the command line, the files or the service know; called with undefined when the
   * body has none. Fails with usage (2).
   */
  readonly complete?: (ctx: CommandContext, value: Json | undefined, values: Values) => Promise<Json | undefined>;
  /**
   * Completes the value of an update with that of the current row, where the service takes it only as a whole. `isWhole` is
   * true where the body's file has the value. Called with undefined when the body has none.
   */
  readonly fill?: (ctx: CommandContext, value: Json | undefined, update: FieldUpdate) => Promise<Json | undefined>;
  /** Refuses a value in a body before it is sent, with usage (2). */
  readonly check?: (value: Json) => void;
  /** Takes away what is another form of this field in a body, so that it has one. Fails with usage (2). */
  readonly settle?: (body: JsonObject, given: FieldSettling) => Promise<JsonObject>;
}

/** What the members of a body came from. */
export interface FieldSettling {
  readonly values: Values;
  /** What the file of the body holds; empty without one. */
  readonly file: JsonObject;
  readonly verb: WriteVerb;
  /** Reads the row of an update; absent while it may be unreadable. */
  readonly readRow?: () => Promise<Json>;
}

export type WriteVerb = 'create' | 'update';

/** What a field of an update is completed from. */
export interface FieldUpdate {
  readonly values: Values;
  readonly isWhole: boolean;
  readonly readRow: () => Promise<Json>;
}

export type Fields = Readonly<Record<string, Field>>;

/** One resource: its fields, and the lists of field keys that its views show. */
export interface ResourceTable<K extends string = string> {
  /** Singular and plural in lower case: `pod`, `pods`. */
  readonly noun: readonly [string, string];
  /** By key, in the order of their flags in help. */
  readonly fields: Readonly<Record<K, Field>>;
  /** The columns of a table. */
  readonly table: readonly K[];
  /** The columns that `-o wide` adds. */
  readonly wide?: readonly K[];
  /** The sections of a detail view. Without it, `get` shows the columns. */
  readonly detail?: readonly DetailSection<K>[];
  /**
   * Where a detail view shows the members that no field names: in a section of this title, in a last section without a
   * title (`last`), or at the end of the first section (`first`).
   */
  readonly others?: { readonly title: string } | 'first' | 'last';
  /** The members of a row in the order the service sends them, where the fields have another order. */
  readonly members?: readonly string[];
}

interface DetailSection<K extends string> {
  readonly title?: string;
  readonly fields: readonly K[];
  /** The section is shown only where the row has an object at this path. */
  readonly ifPresent?: string;
}

/** States the table of a resource; the compiler checks the keys in its lists. */
export const defineTable = <const F extends Fields>(table: ResourceTable<keyof F & string> & { readonly fields: F }) =>
  table;

/** The view of a resource: columns, detail sections and the header of an empty CSV. */
export function viewOf<K extends string>(table: ResourceTable<K>): View {
  const { noun, fields, detail } = table;
  return {
    noun,
    id: idOf,
    members: table.members ?? topLevelNames(table),
    paths: readPaths(table),
    columns: [
      ...table.table.map((key) => columnOf(key, fields[key])),
      ...(table.wide ?? []).map((key) => ({ ...columnOf(key, fields[key]), wide: true })),
    ],
    ...(detail === undefined ? {} : { detail: (row, facts) => sectionsOf(table, detail, row, facts) }),
  };
}

/** The paths of a row's fields. */
export const readPaths = ({ fields }: ResourceTable): readonly string[] =>
  Object.values(fields).flatMap(({ path, writeOnly }) => (path === undefined || writeOnly === true ? [] : [path]));

const RIGHT_ALIGNED: readonly FieldType[] = ['count', 'dollars', 'gigabytes', 'seconds', 'milliseconds', 'time'];

function columnOf(key: string, field: Field): Column {
  const { type = 'text', path = key } = field;
  return {
    header: labelOf(key, field).toUpperCase(),
    show: type === 'time' ? age(path) : showOf(key, field),
    right: RIGHT_ALIGNED.includes(type),
    cutLast: type === 'status',
    ...field.column,
  };
}

/** The label of a field in detail views; in upper case it heads the field's column. */
const labelOf = (key: string, { label, path = key }: Field): string =>
  label ?? memberLabel(path.split('.').at(-1) ?? path);

const showOf = (key: string, { path = key, type = 'text', show }: Field): Show => show ?? SHOWN[type](path);

/** How each type is shown. */
const SHOWN: Readonly<Record<FieldType, (path: string) => Show>> = {
  text,
  status,
  time: timeAndAge,
  flag: yesNo,
  count: text,
  dollars: money,
  gigabytes,
  seconds: (path) => duration(path, 's'),
  milliseconds: (path) => duration(path, 'ms'),
  percent,
  list,
  pairs,
  object: jsonBlock,
  objects: jsonBlock,
};

/** `2026-01-31T12:00:00Z (3d ago)`. */
function timeAndAge(path: string): Show {
  return (row, facts) => {
    const shown = age(path)(row, facts);
    return text(path)(row) + (shown === '' ? '' : ` (${shown} ago)`);
  };
}

function sectionsOf<K extends string>(
  table: ResourceTable<K>,
  detail: readonly DetailSection<K>[],
  row: Json,
  facts: Facts,
): readonly Section[] {
  const sections = detail
    .filter(({ ifPresent }) => ifPresent === undefined || isObject(memberAt(row, ifPresent)))
    .map(({ title, fields }): Section => ({
      ...(title === undefined ? {} : { title }),
      lines: fields.flatMap((key) => linesOf(key, table.fields[key], row, facts)),
    }));
  const { others = 'last' } = table;
  const lines = [
    ...otherMembers(row, [...topLevelNames(table), ...addedNames(table)]),
    ...(typeof others === 'string' ? [] : nestedOthers(table, row)),
  ];
  const [first, ...rest] = sections;
  if (lines.length === 0) return sections;
  if (others === 'first' && first !== undefined) return [{ ...first, lines: [...first.lines, ...lines] }, ...rest];
  return [...sections, { ...(typeof others === 'string' ? {} : others), lines }];
}

const linesOf = (key: string, field: Field, row: Json, facts: Facts): Lines =>
  field.lines?.(row, facts) ?? [{ label: labelOf(key, field), value: showOf(key, field)(row, facts) }];

const topLevelNames = (table: ResourceTable): readonly string[] => [
  ...new Set(readPaths(table).map((path) => path.split('.', 1)[0] ?? path)),
];

/** The members of a row that the program adds: they have fields without a path. */
const addedNames = ({ fields }: ResourceTable): readonly string[] =>
  Object.entries(fields).flatMap(([key, { path }]) => (path === undefined ? [key] : []));

/** The unknown members of objects whose members have fields: `gpu.memory`. */
function nestedOthers(table: ResourceTable, row: Json): Lines {
  const inner = new Map<string, string[]>();
  for (const path of readPaths(table)) {
    const [member = '', name] = path.split('.');
    if (name !== undefined) inner.set(member, [...(inner.get(member) ?? []), name]);
  }
  return [...inner].flatMap(([member, names]) =>
    otherMembers(memberAt(row, member) ?? null, names).map((line) => ({ ...line, label: `${member}.${line.label}` })),
  );
}
