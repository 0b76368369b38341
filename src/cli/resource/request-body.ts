import { isDeepStrictEqual } from 'node:util';
import { textIn, textsIn, type Values } from '../model/command.ts';
import type { CommandContext } from '../model/context.ts';
import { flagName, isGiven, option, type Param, type Params } from '../model/params.ts';
import { usage } from '../../core/failure.ts';
import {
  arrayOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  jsonOrText,
  memberAt,
  memberOf,
} from '../../core/json.ts';
import { namedValues, utf8Text } from '../../core/text.ts';

export interface Member {
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
  const given = textsIn(values, 'set').map((text) => {
    const at = text.indexOf('=');
    if (at < 1) throw usage(`--set takes PATH=VALUE, not ${JSON.stringify(text)}`, `--set ${example}`);
    return [text.slice(0, at), jsonOrText(text.slice(at + 1))] as const;
  });
  const sets: { readonly path: readonly string[]; readonly value: Json }[] = [];
  const lostIn = (document: JsonObject): string | undefined =>
    sets.find((set) => !holds(memberAt(document, set.path.join('.')), set.value))?.path.join('.');
  for (const [member, value] of Object.entries(namedValues('--set', given))) {
    const path = member.split('.');
    if (path.includes('')) throw usage('--set names an empty member', `--set ${example}`);
    body = withMember(body, path, value);
    const lost = lostIn(body);
    if (lost !== undefined) throw usage(`--set ${lost} and --set ${member} give the same member`, 'Keep one of them.');
    sets.push({ path, value });
  }
  for (const [key, { path, value }] of Object.entries(members)) {
    const flagged = values[key];
    if (!isGiven(flagged)) continue;
    const member = value === undefined ? (flagged as Json) : value(flagged as never, memberAt(body, path));
    body = withMember(body, path.split('.'), member);
    const lost = lostIn(body);
    if (lost !== undefined) throw usage(`${flagName(key)} and --set ${lost} give the same member`, 'Keep one of them.');
  }
  return body;
}

/** True for the same value, or an object with the same members and more. */
const holds = (value: Json | undefined, given: Json): boolean =>
  isObject(given) && isObject(value)
    ? Object.entries(given).every(([name, member = null]) => holds(value[name], member))
    : isDeepStrictEqual(value, given);

export const missingMembers = (members: Members, needed: readonly string[], body: JsonObject): readonly string[] =>
  needed.filter((key) => {
    const value = memberAt(body, members[key]?.path ?? key);
    return value === undefined || value === '';
  });

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

export interface Writable {
  readonly body: JsonObject;
  readonly dropped: readonly string[];
  readonly unknown: readonly string[];
}

export function writable(document: JsonObject, accepts: readonly string[], prints: readonly string[]): Writable {
  const dropped = new Set<string>();
  const unknown = new Set<string>();
  const within = (path: string, value: Json | undefined): Json | undefined => {
    const inner = accepts.flatMap((each) => (each.startsWith(`${path}.`) ? [each.slice(path.length + 1)] : []));
    const items = arrayOf(value);
    if (inner.length === 0 || (items === undefined && !isObject(value))) return value;
    const keep = (item: Json): Json => (isObject(item) ? kept(item, inner, `${path}.`) : item);
    return items === undefined ? keep(value ?? null) : items.map(keep);
  };
  const kept = (object: JsonObject, names: readonly string[], prefix: string): JsonObject =>
    Object.fromEntries(
      Object.entries(object).flatMap(([name, value]) => {
        if (names.some((each) => each === name || each.startsWith(`${name}.`)))
          return [[name, within(prefix + name, value)] as const];
        (prints.includes(prefix + name) ? dropped : unknown).add(prefix + name);
        return [];
      }),
    );
  const body = kept(document, accepts, '');
  return { body, dropped: [...dropped], unknown: [...unknown] };
}

/** Deep; members of `over` win. */
export function merged(under: JsonObject, over: JsonObject): JsonObject {
  const members = Object.entries(over).map(([name, value]) => {
    const below = memberOf(under, name);
    return [name, isObject(below) && isObject(value) ? merged(below, value) : value] as const;
  });
  return { ...under, ...Object.fromEntries(members) };
}
