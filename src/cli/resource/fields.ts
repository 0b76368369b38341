import type { Values } from '../model/command.ts';
import type { CommandContext } from '../model/context.ts';
import type { FlagData } from '../model/params.ts';
import { type Json, type JsonObject, memberAt, objectAt, objectOf } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import {
  age,
  blockOf,
  gigabytes,
  jsonBlock,
  list,
  milliseconds,
  money,
  percent,
  plainText,
  seconds,
  status,
  text,
  yesNo,
} from '../../output/cells.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import { type Column, type Facts, idOf, type Result, type Section, type Shown, type View } from '../../output/view.ts';

/** So that a view hides nothing the service sent. */
export const otherMembers = (row: Json, known: readonly string[]): Section['lines'] =>
  Object.entries(objectOf(row) ?? {}).flatMap(([label, value]) =>
    known.includes(label) ? [] : [{ label, value: typeof value === 'string' ? value : blockOf(value) }],
  );

export const memberLabel = (member: string): string =>
  member.replace(/([a-z0-9])([A-Z])/g, (_, before: string, capital: string) => `${before} ${capital.toLowerCase()}`);

export const memberHeader = (member: string): string => memberLabel(member).toUpperCase();

const pairs = (row: Json, path: string): Shown =>
  Object.entries(objectAt(row, path) ?? {}).map(([name, value]) => `${name}=${plainText(value)}`);

/** A list of which a detail view has no line for each item. */
export const onOneLine =
  (path: string): Show =>
  (row) =>
    list(row, path).join(', ');

export const textColumn = (path: string, options: Partial<Column> = {}): Column => ({
  header: memberHeader(path.split('.').at(-1) ?? path),
  show: (row) => text(row, path),
  ...options,
});

/** `time` is RFC 3339 text, `flag` a boolean, `pairs` an object of texts, `objects` an array of objects. */
export type FieldType = keyof typeof SHOWN;

type Show = (row: Json, facts: Facts) => Shown;
type Lines = Section['lines'];

/** Named after the field's key: `gpuCount` gives `--gpu-count`. */
type FieldFlag = FlagData & {
  /** In the body, if not the field's path. */
  readonly path?: string;
  /** What the body gets, if not the flag's value. `before` is what it already has at the path. */
  readonly value?: (given: never, before: Json | undefined) => Json;
};

/** `accepted`: with `--set` and `--file` only. If absent, a body cannot set the field. */
export type FieldWrite = 'accepted' | FieldFlag;

export interface Field {
  /** Such as `gpu.count`. Absent for computed fields and for a flag that sets a part of another field. */
  readonly path?: string;
  /** Default `text`. */
  readonly type?: FieldType;
  /** Known values; a newer service may send others. */
  readonly values?: readonly string[];
  /** In detail views; default: the last name of the path. */
  readonly label?: string;
  readonly show?: Show;
  /** For detail views, if the field takes more or fewer lines than one. */
  readonly lines?: (row: Json, facts: Facts) => Lines;
  readonly column?: Partial<Column>;
  readonly writeOnly?: true;
  readonly write?: FieldWrite;
  readonly create?: FieldWrite;
  readonly update?: FieldWrite;
  /** What each text of the value matches, or each name of an object, and what to use. Empty text removes a value. */
  readonly form?: readonly [RegExp, string];
  /** Fails with usage (2), before the body is sent. */
  readonly check?: (value: Json) => void;
  /** Adds what the service takes only complete, or removes other forms of this field. Fails with usage (2). */
  readonly complete?: (body: JsonObject, of: BodyContext) => Promise<JsonObject>;
}

/** What a body was made from. */
export interface BodyContext {
  readonly ctx: CommandContext;
  readonly values: Values;
  readonly file: JsonObject;
  /** The row of an update. */
  readonly readRow?: (() => Promise<Json>) | undefined;
}

export type WriteVerb = 'create' | 'update';

export type Fields = Readonly<Record<string, Field>>;

export interface ResourceTable<K extends string = string> {
  readonly noun: readonly [string, string];
  /** In the order of their flags in help. */
  readonly fields: Readonly<Record<K, Field>>;
  readonly table: readonly K[];
  readonly wide?: readonly K[];
  /** Without it, `get` shows the columns. Unknown members follow. */
  readonly detail?: readonly { readonly title?: string; readonly fields: readonly K[] }[];
  /** In the order the service sends them, if the fields have another order. */
  readonly members?: readonly string[];
}

export const defineTable = <const F extends Fields>(table: ResourceTable<keyof F & string> & { readonly fields: F }) =>
  table;

/** Each part is made where it is printed. */
export function viewOf<K extends string>(table: ResourceTable<K>): View {
  const { noun, fields, detail, wide = [] } = table;
  return {
    noun,
    id: idOf,
    get members() {
      return table.members ?? [...new Set(readPaths(table).map((path) => path.split('.', 1)[0] ?? path))];
    },
    get paths() {
      return readPaths(table);
    },
    get columns() {
      const shown = table.table.map((key) => columnOf(key, fields[key]));
      return [...shown, ...wide.map((key) => ({ ...columnOf(key, fields[key]), wide: true }))];
    },
    ...(detail && { detail: (row, facts) => sectionsOf(table, row, facts) }),
  };
}

export const readPaths = ({ fields }: ResourceTable): readonly string[] =>
  Object.values(fields).flatMap(({ path, writeOnly }) => (path === undefined || writeOnly === true ? [] : [path]));

const RIGHT_ALIGNED: readonly FieldType[] = ['count', 'dollars', 'gigabytes', 'seconds', 'milliseconds', 'time'];

function columnOf(key: string, field: Field): Column {
  const { type = 'text', path = key } = field;
  return {
    header: labelOf(key, field).toUpperCase(),
    show: (row, facts) => (type === 'time' ? age(row, path, facts) : shownBy(key, field, row, facts)),
    right: RIGHT_ALIGNED.includes(type),
    cutLast: type === 'status',
    ...field.column,
  };
}

const labelOf = (key: string, { label, path = key }: Field): string =>
  label ?? memberLabel(path.split('.').at(-1) ?? path);

const shownBy = (key: string, { path = key, type = 'text', show }: Field, row: Json, facts: Facts): Shown =>
  show === undefined ? SHOWN[type](row, path, facts) : show(row, facts);

const SHOWN = {
  text,
  status,
  time: timeAndAge,
  flag: yesNo,
  count: text,
  dollars: money,
  gigabytes,
  seconds,
  milliseconds,
  percent,
  list,
  pairs,
  object: jsonBlock,
  objects: jsonBlock,
} satisfies Readonly<Record<string, (row: Json, path: string, facts: Facts) => Shown>>;

/** `2026-01-31T12:00:00Z (3d ago)`. */
function timeAndAge(row: Json, path: string, facts: Facts): Shown {
  const shown = age(row, path, facts);
  return text(row, path) + (shown === '' ? '' : ` (${shown} ago)`);
}

function sectionsOf<K extends string>(table: ResourceTable<K>, row: Json, facts: Facts): readonly Section[] {
  const sections = (table.detail ?? []).map(({ fields, ...section }): Section => ({
    ...section,
    lines: fields.flatMap((key) => {
      const field: Field = table.fields[key];
      return field.lines?.(row, facts) ?? [{ label: labelOf(key, field), value: shownBy(key, field, row, facts) }];
    }),
  }));
  const lines = othersOf(table, row);
  return lines.length === 0 ? sections : [...sections, { title: 'other', lines }];
}

/** What no field names, also in the members of which fields name some. */
function othersOf({ fields }: ResourceTable, row: Json): Lines {
  const known = new Map<string, string[]>();
  for (const [key, { path, writeOnly }] of Object.entries<Field>(fields)) {
    if (path !== undefined && writeOnly === true) continue;
    const [member = '', name] = (path ?? key).split('.');
    known.set(member, [...(known.get(member) ?? []), ...(name === undefined ? [] : [name])]);
  }
  const lines = [...otherMembers(row, [...known.keys()])];
  for (const [member, names] of known)
    for (const line of names.length === 0 ? [] : otherMembers(memberAt(row, member) ?? null, names))
      lines.push({ ...line, label: `${member}.${line.label}` });
  return lines;
}

/** For a person `notes`, for a shell `shellText` as it is, for a program the object `facts`. */
export function changeResult(
  ctx: CommandContext,
  facts: JsonObject,
  notes: readonly Message[] = [],
  shellText?: string,
): Result {
  if (!isTableOutput(ctx.output)) return { kind: 'one', view: factsView(facts), value: facts };
  return shellText === undefined ? { kind: 'nothing', notes } : { kind: 'text', text: shellText, notes };
}

const factsView = (facts: JsonObject): View => {
  const members = Object.keys(facts);
  return {
    noun: ['change', 'changes'],
    id: (row) => text(row, members[0] ?? ''),
    members,
    columns: members.map((member) => textColumn(member)),
  };
};
