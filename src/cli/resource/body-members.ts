/** The members of a body: which a table accepts, and one that is read or set at a path. */
import { usage } from '../../core/failure.ts';
import { encodeJson, isList, isObject, type Json, type JsonObject, memberAt, stringOf } from '../../core/json.ts';
import { flagName, type Param, paramOf } from '../model/params.ts';
import { type BodyContext, readPaths, type ResourceTable, type WriteVerb } from './fields.ts';

export interface Member {
  readonly param: Param<unknown>;
  readonly path: string;
  /** `before` is the member so far. If absent, the flag's value is used as it is. */
  readonly value: ((given: never, before: Json | undefined) => Json) | undefined;
}

export type Members = Readonly<Record<string, Member>>;

/** The members of a create or an update that have a flag or an argument. */
export function membersOf({ fields }: ResourceTable, verb: WriteVerb): Members {
  const members: Record<string, Member> = {};
  for (const [key, field] of Object.entries(fields)) {
    const write = field[verb] ?? field.write;
    if (write === undefined || write === 'accepted') continue;
    const { path = field.path ?? key, value, ...flag } = write;
    members[key] = { path, value, param: paramOf(flag) };
  }
  return members;
}

/** What its body may have: `gpu.pools` is a member of an object, or of each item of a list. */
export function writablePaths({ fields }: ResourceTable, verb: WriteVerb): readonly string[] {
  const all = Object.values(fields).flatMap((field) => {
    const write = field[verb] ?? field.write;
    return field.path === undefined || write === undefined ? [] : [{ path: field.path, isWhole: write === 'accepted' }];
  });
  // An `accepted` object may hold anything; any other only members with fields of their own.
  return all.flatMap(({ path, isWhole }) => {
    const isPart = all.some((outer) => outer.isWhole && path.startsWith(`${outer.path}.`));
    return isPart || (!isWhole && all.some((inner) => inner.path.startsWith(`${path}.`))) ? [] : [path];
  });
}

/** Read-only members that `get` prints. */
export const printedPaths = (table: ResourceTable): readonly string[] => [
  ...new Set(
    readPaths(table).flatMap((path) => path.split('.').map((_, at, names) => names.slice(0, at + 1).join('.'))),
  ),
];

/** Fails with usage (2). */
export function checkBody({ fields }: ResourceTable, body: JsonObject): void {
  for (const [key, { path, form, check }] of Object.entries(fields)) {
    const value: Json | undefined = path === undefined ? undefined : memberAt(body, path);
    if (value === undefined) continue;
    check?.(value);
    if (form === undefined) continue;
    const texts = isList(value) ? value : isObject(value) ? Object.keys(value) : [value];
    const wrong = texts.find((text) => !form[0].test(stringOf(text) ?? ''));
    if (wrong !== undefined) throw usage(`invalid ${flagName(key)} ${encodeJson(wrong)}: use ${form[1]}`);
  }
}

/** Before the body is shown or sent. Fails with usage (2). */
export async function completeBody({ fields }: ResourceTable, body: JsonObject, of: BodyContext): Promise<JsonObject> {
  let result = body;
  for (const { complete } of Object.values(fields)) result = (await complete?.(result, of)) ?? result;
  return result;
}

/** A printed document as a body: without members of `prints`, and with the names of unknown ones. */
export function writable(document: JsonObject, accepts: readonly string[], prints: readonly string[]) {
  const unknown = new Set<string>();
  const kept = (object: JsonObject, names: readonly string[], prefix: string): JsonObject =>
    Object.fromEntries(
      Object.entries(object).flatMap(([name, value = null]) => {
        const inner = names.flatMap((each) => (each.startsWith(`${name}.`) ? [each.slice(name.length + 1)] : []));
        const keep = (item: Json): Json => (isObject(item) ? kept(item, inner, `${prefix}${name}.`) : item);
        if (inner.length > 0) return [[name, isList(value) ? value.map(keep) : keep(value)] as const];
        if (names.includes(name)) return [[name, value] as const];
        if (!prints.includes(prefix + name)) unknown.add(prefix + name);
        return [];
      }),
    );
  return { body: kept(document, accepts, ''), unknown: [...unknown] };
}

/** A copy, with the text or each text of the list at the path replaced. */
export function mapTextsAt(body: JsonObject, path: string, map: (text: string) => string): JsonObject {
  const given = memberAt(body, path);
  if (given === undefined) return body;
  const mapped = (item: Json): Json => (typeof item === 'string' ? map(item) : item);
  return withMember(body, path.split('.'), isList(given) ? given.map(mapped) : mapped(given));
}

/** A copy. Missing objects on the path are created; array items are named by index. */
export function withMember(into: Json | undefined, path: readonly string[], value: Json): JsonObject {
  const [name = '', ...rest] = path;
  const before: JsonObject = isObject(into) ? into : {};
  const inner = Object.hasOwn(before, name) ? before[name] : undefined;
  return { ...before, [name]: rest.length === 0 ? value : withItem(inner, rest, value) };
}

function withItem(into: Json | undefined, path: readonly string[], value: Json): Json {
  const [name = '', ...rest] = path;
  if (!/^\d+$/.test(name) || isObject(into)) return withMember(into, path, value);
  const items = isList(into) ? [...into] : [];
  if (Number(name) > items.length) throw usage(`--set names item ${name} of a list of ${items.length}`);
  items[Number(name)] = rest.length === 0 ? value : withItem(items[Number(name)], rest, value);
  return items;
}
