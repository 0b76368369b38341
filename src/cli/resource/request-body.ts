import { isDeepStrictEqual } from 'node:util';
import { textIn, textsIn, type Values } from '../model/command.ts';
import type { CommandContext } from '../model/context.ts';
import { flagName, isGiven, option, type Param, type Params } from '../model/params.ts';
import { promptFor } from '../ask.ts';
import { didYouMean, helpMessage } from '../words.ts';
import type { SettingsView } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import {
  arrayOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  jsonOrText,
  memberAt,
  memberOf,
  stringAt,
} from '../../core/json.ts';
import { type CommandLine, lines, type Message, sentence } from '../../core/message.ts';
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

export interface BodySpec {
  readonly members: Members;
  /** Flag keys. Of a group, one is enough. */
  readonly needed?: readonly (string | readonly string[])[];
  readonly exclusive?: readonly (readonly string[])[];
  /** `gpu.pools` is a member of an object, or of each item of a list. */
  readonly accepts: readonly string[];
  readonly setExample?: string;
  /** Read-only members that `get` prints; dropped from a file with a note. Any other member is an error. */
  readonly prints?: readonly string[];
  /** Converts a document that `get` printed (`template` to `templateId`), before members are dropped. */
  readonly adapt?: (document: JsonObject) => JsonObject;
  /** Before the body is sent. Fails with usage (2). */
  readonly checkFields?: (body: JsonObject) => void;
  /** Before the body is shown or sent. Fails with usage (2). */
  readonly completeFields?: (
    ctx: CommandContext,
    body: JsonObject,
    given: Pick<BodyUpdate, 'values' | 'file'>,
  ) => Promise<JsonObject>;
  /** Completes an update with values of the current row. */
  readonly fillFields?: (ctx: CommandContext, body: JsonObject, update: BodyUpdate) => Promise<JsonObject>;
  /** Prompts for what a member needs beside it. `lookUp` is called before the first question. */
  readonly askBeside?: (ctx: CommandContext, body: JsonObject, lookUp: () => Promise<void>) => Promise<JsonObject>;
  /** Prompts for optional members, only if a needed one was prompted for. */
  readonly offer?: (ctx: CommandContext, body: JsonObject) => Promise<JsonObject>;
  /** Shown after questions: the command line that does the same without them. */
  readonly commandLine?: (body: JsonObject, given: Values) => CommandLine;
  readonly defaults?: (body: JsonObject, settings: SettingsView) => JsonObject;
}

interface BodyUpdate {
  readonly values: Values;
  readonly file: JsonObject;
  readonly readRow: () => Promise<Json>;
}

export const setExampleOf = ({ setExample, accepts }: BodySpec): string =>
  setExample ?? `${accepts[0] ?? 'name'}=VALUE`;

/** Drops read-only members of the file with a note. Usage (2); dry run: refused (5) for read-only `--set`. */
export async function composeBody(
  ctx: CommandContext,
  spec: BodySpec,
  values: Values,
): Promise<{ readonly body: JsonObject; readonly file: JsonObject }> {
  for (const group of spec.exclusive ?? []) refuseSeveral(group.filter((key) => isGiven(values[key])));
  let dropped: readonly string[] = [];
  let file: JsonObject = {};
  const body = await readBody(ctx, spec.members, values, setExampleOf(spec), (document) => {
    const kept = writable(spec.adapt?.(document) ?? document, spec.accepts, printedOf(spec));
    refuseUnknown(kept.unknown, spec);
    dropped = kept.dropped;
    file = kept.body;
    return file;
  });
  if (ctx.dryRun) refuseReadOnly(body, spec);
  if (dropped.length > 0) await ctx.tell(`Left out, because it cannot be written: ${listed(dropped)}.`);
  for (const key of ['name', 'image'])
    if (stringAt(body, spec.members[key]?.path ?? key)?.trim() === '') throw usage(`${flagName(key)} is empty`);
  return { body: (await spec.completeFields?.(ctx, body, { values, file })) ?? body, file };
}

interface CompleteBody {
  readonly body: JsonObject;
  readonly asked: boolean;
}

/** Prompts after `lookUp`, whose failures pass. Usage (2) with the flags' names if it cannot prompt. */
export async function completeBody(
  ctx: CommandContext,
  spec: BodySpec,
  body: JsonObject,
  given: Values,
  lookUp: () => Promise<void>,
): Promise<CompleteBody> {
  const withDefaults = (complete: JsonObject): JsonObject =>
    merged(spec.defaults?.(complete, ctx.settings) ?? {}, complete);
  const missing = (spec.needed ?? [])
    .map((group) => (typeof group === 'string' ? [group] : group))
    .filter((group) => missingMembers(spec.members, group, body).length === group.length);
  const canAsk = (key: string): boolean => ctx.terminal.canAsk && spec.members[key]?.param.ask !== undefined;
  const unanswerable = missing.filter((group) => !group.some(canAsk));
  if (unanswerable.length > 0)
    throw usage(
      `missing ${unanswerable.map((group) => group.map(flagName).join(' or ')).join(' and ')}`,
      lines(...unanswerable.flat().map((key) => explained(spec.members, key))),
    );
  if (missing.length > 0) await lookUp();
  const answers: Record<string, unknown> = { set: [] };
  for (const group of missing) {
    const key = await pickMember(ctx, spec.members, group.filter(canAsk));
    const member = spec.members[key];
    if (member === undefined) continue;
    answers[key] = await promptFor(ctx, key, member.param, (value) => {
      const given = member.value === undefined ? (value as Json) : member.value(value as never, undefined);
      spec.checkFields?.(withMember(undefined, member.path.split('.'), given));
    });
  }
  const needed = merged(body, await readBody(ctx, spec.members, answers, setExampleOf(spec), (document) => document));
  const complete = (ctx.terminal.canAsk ? await spec.askBeside?.(ctx, needed, lookUp) : undefined) ?? needed;
  if (missing.length === 0 && complete === needed) return { body: withDefaults(complete), asked: false };
  const answered = (missing.length === 0 ? undefined : await spec.offer?.(ctx, complete)) ?? complete;
  if (spec.commandLine !== undefined) await ctx.tell(sentence`Without questions: ${spec.commandLine(answered, given)}`);
  return { body: withDefaults(answered), asked: true };
}

const explained = (members: Members, key: string): Message =>
  sentence`${flagName(key)}: ${helpMessage(members[key]?.param.summary ?? '')}`;

async function pickMember(ctx: CommandContext, members: Members, keys: readonly string[]): Promise<string> {
  const [only = '', ...others] = keys;
  if (others.length === 0) return only;
  const asked = keys.map((key) => ({ key, question: members[key]?.param.ask?.question }));
  const choices = asked.map(({ key, question = flagName(key) }) => ({
    name: `${question} (${flagName(key)})`,
    value: key,
  }));
  const question = asked.map((each) => each.question ?? flagName(each.key)).join(' or ');
  return await ctx.prompts.select(`${question}?`, choices);
}

const READ_ONLY = ['id', 'createdAt'];

const printedOf = ({ prints = [] }: BodySpec): readonly string[] => [...READ_ONLY, ...prints];

/** Usage (2): dropping a member silently could lose an important value. */
function refuseUnknown(unknown: readonly string[], { accepts, prints }: BodySpec): void {
  const [first] = unknown;
  if (first === undefined) return;
  throw usage(
    `--file holds unknown members: ${listed(unknown)}`,
    didYouMean(first, [...accepts, ...(prints ?? [])]) ?? `It takes ${accepts.join(', ')}.`,
  );
}

/** Refused (5) for members that are only printed. Unknown ones pass: a newer service may have them. */
function refuseReadOnly(body: JsonObject, spec: BodySpec): void {
  const { dropped } = writable(body, spec.accepts, printedOf(spec));
  if (dropped.length === 0) return;
  throw new Failure({
    code: 'refused',
    exit: EXIT.refused,
    message: `the service would refuse this request: it has no member${dropped.length === 1 ? '' : 's'} ${listed(dropped)}`,
    hint: lines(`It takes ${spec.accepts.join(', ')}.`, 'Nothing was sent.'),
  });
}

const MAX_NAMES = 10;

const listed = (names: readonly string[]): string =>
  names.length <= MAX_NAMES
    ? names.join(', ')
    : `${names.slice(0, MAX_NAMES).join(', ')} and ${names.length - MAX_NAMES} more`;

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

function refuseSeveral(keys: readonly string[]): void {
  if (keys.length > 1) throw usage(`${keys.map(flagName).join(' and ')} exclude each other`, 'Keep one of them.');
}

/** Deep; members of `over` win. */
export function merged(under: JsonObject, over: JsonObject): JsonObject {
  const members = Object.entries(over).map(([name, value]) => {
    const below = memberOf(under, name);
    return [name, isObject(below) && isObject(value) ? merged(below, value) : value] as const;
  });
  return { ...under, ...Object.fromEntries(members) };
}
