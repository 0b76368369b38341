import { isDeepStrictEqual } from 'node:util';
import { usage } from '../../../core/failure.ts';
import { namedValues } from '../../../core/text/named-values.ts';
import { utf8Text } from '../../../core/text/utf8-text.ts';
import { isObject, memberAt, jsonOrText, type Json, type JsonObject, isList } from '../../../core/json.ts';
import type { CommandContext } from '../../model/context.ts';
import type { Values } from '../../model/command.ts';
import { flagName, option, isGiven, type Param, type Params } from '../../model/params.ts';
import { textIn, textsIn } from '../../model/values.ts';

/** A member of a request body that has a flag. */
export interface Member {
  /** Its flag, and the prompt for it if it is needed and missing. */
  readonly param: Param<unknown>;
  /** Its path in the body: `gpu.id`. */
  readonly path: string;
  /** Converts the flag's value; `before` is the member so far. The value is used as it is if absent. */
  readonly value?: (given: never, before: Json | undefined) => Json;
}

export type Members = Readonly<Record<string, Member>>;

/** The flags of every create and update beside those of its members; `example` is a valid PATH=VALUE. */
export const bodyOptions = (example: string) =>
  ({
    set: option.texts(`set any member of the body, such as ${example}`, { metavar: 'PATH=VALUE' }),
    file: option.text('read the body from YAML or JSON; - is stdin', {
      short: '-f',
      metavar: 'FILE',
      complete: 'file',
    }),
  }) as const satisfies Params;

/**
 * Builds the body of a create or update. `--set` and flags override the file. Fails with usage (2) for a file or a `--set` that
 * does not parse, and for a member that both a `--set` and a flag give; `example` is a valid `--set`.
 */
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

/** Whether a value still has all that was given for it: the same, or an object with the same members and more. */
const holds = (value: Json | undefined, given: Json): boolean =>
  isObject(given) && isObject(value)
    ? Object.entries(given).every(([name, member = null]) => holds(value[name], member))
    : isDeepStrictEqual(value, given);

/** The flag keys of needed members that the body does not have. */
export const missingMembers = (members: Members, needed: readonly string[], body: JsonObject): readonly string[] =>
  needed.filter((key) => {
    const value = memberAt(body, members[key]?.path ?? key);
    return value === undefined || value === '';
  });

/** A copy with one member set. Missing objects on the path are created; items of arrays are named by their index. */
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

/** Reads a YAML or JSON document. Fails with usage (2) if it is not an object, with local-file (14) if it cannot be read. */
async function readDocument(ctx: CommandContext, file: string): Promise<JsonObject> {
  const from = file === '-' ? 'stdin' : file;
  const text = utf8Text(await ctx.files.read(file), from, 'Save it as UTF-8.');
  const { parseYaml } = await import('./parse-yaml.ts');
  const document = parseYaml(text, from);
  if (!isObject(document)) throw usage(`${from} does not hold an object`, 'Write one member a line: name: VALUE');
  return document;
}
