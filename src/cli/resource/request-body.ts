import { isDeepStrictEqual } from 'node:util';
import { textIn, textsIn, type Values } from '../model/command.ts';
import type { CommandContext } from '../model/context.ts';
import { flagName, isGiven, option, type Param, type Params } from '../model/params.ts';
import { type BodyContext, readPaths, type ResourceTable, type WriteVerb } from './fields.ts';
import { usage } from '../../core/failure.ts';
import { isList, isObject, type Json, type JsonObject, jsonOrText, memberAt, memberOf } from '../../core/json.ts';
import { utf8Text } from '../../core/text.ts';

interface Member {
  readonly param: Param<unknown>;
  readonly path: string;
  /** `before` is the member so far. If absent, the flag's value is used as it is. */
  readonly value?: (given: never, before: Json | undefined) => Json;
}

export type Members = Readonly<Record<string, Member>>;

export const bodyOptions = (example: string) =>
  ({
    set: option.texts(`set any member of the body, such as ${example}`, { metavar: 'PATH=VALUE' }),
    file: option.text('read the body from YAML or JSON; - is stdin', {
      short: '-f',
      metavar: 'FILE',
      complete: 'file',
    }),
  }) as const satisfies Params;

/** `--set` and flags override the file. Usage (2) for a member given by both `--set` and a flag. */
export async function readBody(
  ctx: CommandContext,
  members: Members,
  values: Values,
  example: string,
  adapt: (document: JsonObject) => JsonObject,
): Promise<JsonObject> {
  const file = textIn(values, 'file');
  let body = file === undefined ? {} : adapt(await readDocument(ctx, file));
  const sets: { readonly member: string; readonly value: Json }[] = [];
  const put = (member: string, value: Json, by: string): void => {
    body = withMember(body, member.split('.'), value);
    const lost = sets.find((set) => !holds(memberAt(body, set.member), set.value));
    if (lost !== undefined) throw usage(`${by} and --set ${lost.member} give the same member`, 'Keep one of them.');
  };
  for (const text of textsIn(values, 'set')) {
    const [, member = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    if (member.split('.').includes(''))
      throw usage(`--set takes PATH=VALUE, not ${JSON.stringify(text)}`, `--set ${example}`);
    put(member, jsonOrText(value), `--set ${member}`);
    sets.push({ member, value: jsonOrText(value) });
  }
  for (const [key, { path, value }] of Object.entries(members)) {
    const given = values[key];
    if (!isGiven(given)) continue;
    put(path, value === undefined ? (given as Json) : value(given as never, memberAt(body, path)), flagName(key));
  }
  return body;
}

/** True for the same value, or an object with the same members and more. */
const holds = (value: Json | undefined, given: Json): boolean =>
  isObject(given) && isObject(value)
    ? Object.entries(given).every(([name, member = null]) => holds(value[name], member))
    : isDeepStrictEqual(value, given);

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

/** Fails with usage (2) if it is not an object, with local-file (14) if it cannot be read. */
async function readDocument(ctx: CommandContext, file: string): Promise<JsonObject> {
  const from = file === '-' ? 'stdin' : file;
  const text = utf8Text(await ctx.files.read(file), from, 'Save it as UTF-8.');
  const { parseYaml } = await import('./parse-yaml.ts');
  const document = parseYaml(text, from);
  if (!isObject(document)) throw usage(`${from} does not hold an object`, 'Write one member a line: name: VALUE');
  return document;
}

/** A printed document as a body, with the names of the members that it left out. */
export function writable(document: JsonObject, accepts: readonly string[], prints: readonly string[]) {
  const dropped = new Set<string>();
  const unknown = new Set<string>();
  const kept = (object: JsonObject, names: readonly string[], prefix: string): JsonObject =>
    Object.fromEntries(
      Object.entries(object).flatMap(([name, value]) => {
        const inner = names.flatMap((each) => (each.startsWith(`${name}.`) ? [each.slice(name.length + 1)] : []));
        if (inner.length === 0 && !names.includes(name)) {
          (prints.includes(prefix + name) ? dropped : unknown).add(prefix + name);
          return [];
        }
        const keep = (item: Json | undefined): Json | undefined =>
          isObject(item) ? kept(item, inner, `${prefix}${name}.`) : item;
        if (inner.length === 0) return [[name, value] as const];
        return [[name, isList(value) ? value.map((item) => keep(item) ?? null) : keep(value)] as const];
      }),
    );
  return { body: kept(document, accepts, ''), dropped: [...dropped], unknown: [...unknown] };
}

/** Deep; members of `over` win. */
export function merged(under: JsonObject, over: JsonObject): JsonObject {
  const members = Object.entries(over).map(([name, value]) => {
    const below = memberOf(under, name);
    return [name, isObject(below) && isObject(value) ? merged(below, value) : value] as const;
  });
  return { ...under, ...Object.fromEntries(members) };
}

/** What a table of fields accepts in the body of a create or an update. */

interface BodyOfTable {
  /** The members that have a flag or an argument. */
  readonly members: Members;
  /** `gpu.pools` is a member of an object, or of each item of a list. */
  readonly accepts: readonly string[];
  /** Read-only members that `get` prints. */
  readonly prints: readonly string[];
}

export function bodyOf(table: ResourceTable, verb: WriteVerb): BodyOfTable {
  const written = Object.entries(table.fields).flatMap(([key, field]) => {
    const write = field[verb] ?? field.write;
    return write === undefined ? [] : [{ key, path: field.path, write }];
  });
  const members = written.flatMap(({ key, path = key, write }): [string, Member][] =>
    write === 'accepted' ? [] : [[key, { path, ...('param' in write ? write : { param: write }) }]],
  );
  // An `accepted` object may hold anything; any other only members with fields of their own.
  const whole = written.flatMap(({ path, write }) => (path !== undefined && write === 'accepted' ? [path] : []));
  const paths = written.flatMap(({ path }) => path ?? []);
  const isWithin = (inner: string, outer: string): boolean => inner.startsWith(`${outer}.`);
  return {
    members: Object.fromEntries(members),
    accepts: paths.filter(
      (path) =>
        !whole.some((outer) => isWithin(path, outer)) &&
        (whole.includes(path) || !paths.some((inner) => isWithin(inner, path))),
    ),
    prints: [...new Set(readPaths(table).flatMap(withParents))],
  };
}

const withParents = (path: string): readonly string[] =>
  path.split('.').map((_, at, names) => names.slice(0, at + 1).join('.'));

/** Fails with usage (2). */
export function checkBody({ fields }: ResourceTable, body: JsonObject): void {
  for (const { path, check } of Object.values(fields)) {
    const value: Json | undefined = path === undefined ? undefined : memberAt(body, path);
    if (value !== undefined) check?.(value);
  }
}

/** Before the body is shown or sent. Fails with usage (2). */
export async function completeBody({ fields }: ResourceTable, body: JsonObject, of: BodyContext): Promise<JsonObject> {
  let result = body;
  for (const { complete } of Object.values(fields)) result = (await complete?.(result, of)) ?? result;
  return result;
}
