/** The body of a create or an update: from a file, --set, flags and, on a terminal, answers. */
import type { ApiAnswer } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isNotFound, rethrowUnlessFailure, usage } from '../../core/failure.ts';
import {
  encodeJson,
  isObject,
  type Json,
  type JsonObject,
  jsonOrText,
  memberAt,
  memberOf,
  stringAt,
} from '../../core/json.ts';
import { lines } from '../../core/message.ts';
import { utf8Text } from '../../core/text.ts';
import { idOf } from '../../output/view.ts';
import { promptFor } from '../ask.ts';
import type { Collection } from '../model/collection.ts';
import { textIn, textsIn, type Values } from '../model/command.ts';
import type { CommandContext } from '../model/context.ts';
import { arg, flagName, isGiven, option, type Param, type Params } from '../model/params.ts';
import { unlessUnread } from '../run/dry-run.ts';
import { didYouMean } from '../words.ts';
import {
  checkBody,
  completeBody,
  mapTextsAt,
  type Member,
  type Members,
  membersOf,
  printedPaths,
  withMember,
  writable,
  writablePaths,
} from './body-members.ts';
import type { WriteVerb } from './fields.ts';
import { lookupRows } from './pages.ts';
import { type Resource, rowCalled } from './targets.ts';

const valueOf = ({ value }: Member, given: unknown, before: Json | undefined): Json =>
  value === undefined ? (given as Json) : value(given as never, before);

/** What a body must fulfil beyond the rules of its fields. */
export interface BodyRules {
  /** Flag keys that a create needs; of a group, one is enough. */
  readonly needed?: readonly (string | readonly string[])[];
  /** Flag keys of which only one may be given. */
  readonly exclusive?: readonly (readonly string[])[];
  /** A PATH=VALUE for the help of --set. */
  readonly example?: string;
  /** Members of a printed document that are left out, beside those that the table shows. */
  readonly readOnly?: readonly string[];
  /** Turns a document as `get` prints it into a body. */
  readonly fromPrinted?: (document: JsonObject) => JsonObject;
  /** Members that hold the id of another resource: a name works too. */
  readonly references?: Readonly<Record<string, Collection>>;
}

const exampleOf = (members: Members, { example }: BodyRules): string =>
  example ?? `${Object.values(members)[0]?.path ?? 'name'}=VALUE`;

const params = (members: Members, kind: Param<unknown>['kind'], rules: BodyRules): Params =>
  Object.fromEntries(
    Object.entries(members).flatMap(([key, { param, path }]) => {
      const complete = param.complete ?? rules.references?.[path];
      return param.kind === kind ? [[key, complete === undefined ? param : { ...param, complete }]] : [];
    }),
  );

/** Flags for every member, --set and --file. */
export function bodyFlags(of: Resource, verb: WriteVerb, rules: BodyRules = {}): Params {
  const members = membersOf(of.table, verb);
  return {
    ...params(members, 'flag', rules),
    set: option.texts(`set any member of the body, such as ${exampleOf(members, rules)}`, { metavar: 'PATH=VALUE' }),
    file: option.text('read the body from YAML or JSON; - is stdin', {
      short: '-f',
      metavar: 'FILE',
      complete: 'file',
    }),
  };
}

/** The words after `--`, and for a create the name, which is a flag too. */
export function bodyArguments(of: Resource, verb: WriteVerb, rules: BodyRules = {}): Params {
  const members = membersOf(of.table, verb);
  return {
    ...(verb === 'create' && 'name' in members && { newName: arg.optional('its name', { metavar: 'NAME' }) }),
    ...params(members, 'argument', rules),
  };
}

/** `row` reads the row of an update. Fails with usage (2) before anything is sent. */
export async function bodyFrom(
  ctx: CommandContext,
  of: Resource,
  given: Values,
  rules: BodyRules,
  row?: () => Promise<Json>,
): Promise<JsonObject> {
  const verb = row === undefined ? 'create' : 'update';
  const members = membersOf(of.table, verb);
  const { newName, ...flags } = given;
  if (newName !== undefined && flags['name'] !== undefined) throw usage('use either NAME or --name');
  const values: Values = newName === undefined ? flags : { ...flags, name: newName };
  for (const group of rules.exclusive ?? [])
    if (group.filter((key) => isGiven(values[key])).length > 1)
      throw usage(`use either ${group.map(flagName).join(' or ')}`);
  const { file, body: plain } = await readBody(ctx, members, values, exampleOf(members, rules), (document) => {
    const accepts = writablePaths(of.table, verb);
    const printed = ['id', 'createdAt', ...printedPaths(of.table), ...(rules.readOnly ?? [])];
    const { body, unknown } = writable(rules.fromPrinted?.(document) ?? document, accepts, printed);
    if (unknown[0] === undefined) return body;
    const hint = didYouMean(unknown[0], accepts) ?? `Use ${accepts.join(', ')}`;
    throw usage(`unknown member in --file: ${unknown.join(', ')}`, hint);
  });
  for (const key of ['name', 'image'])
    if (stringAt(plain, key)?.trim() === '') throw usage(`${flagName(key)} is empty`);
  if (row !== undefined && Object.keys(plain).length === 0)
    throw usage('nothing to change', 'Pass a flag of what changes, --set or --file.');
  const whole = await completeBody(of.table, plain, { ctx, values, file, readRow: row });
  const body = row === undefined ? await withAnswers(ctx, of, members, whole, rules.needed ?? []) : whole;
  checkBody(of.table, body);
  return body;
}

/** Asks for missing members on a terminal. Fails with usage (2) and names their flags elsewhere. */
async function withAnswers(
  ctx: CommandContext,
  { table }: Resource,
  members: Members,
  body: JsonObject,
  needed: NonNullable<BodyRules['needed']>,
): Promise<JsonObject> {
  const isMissing = (key: string): boolean => [undefined, ''].includes(memberAt(body, members[key]?.path ?? key) as '');
  const missing = needed.map((group) => [group].flat()).filter((keys) => keys.every(isMissing));
  const canAsk = (key: string): boolean => ctx.terminal.canAsk && members[key]?.param.ask !== undefined;
  if (!missing.every((keys) => keys.some(canAsk)))
    throw usage(
      `missing ${missing.map((keys) => keys.map(flagName).join(' or ')).join(' and ')}`,
      lines(...missing.flat().map((key) => `${flagName(key)}: ${members[key]?.param.summary ?? ''}`)),
    );
  let complete = body;
  for (const key of missing.flatMap((keys) => keys.find(canAsk) ?? [])) {
    const member = members[key];
    if (member === undefined) continue;
    const withAnswer = (into: JsonObject, answer: unknown): JsonObject =>
      withMember(into, member.path.split('.'), valueOf(member, answer, undefined));
    const answer = await promptFor(ctx, key, member.param, (given) => {
      checkBody(table, withAnswer({}, given));
    });
    complete = withAnswer(complete, answer);
  }
  return complete;
}

/** References are tried as ids; after a 404 or 400, where nothing happened, they are looked up as names. */
export async function withReferences(
  ctx: CommandContext,
  body: JsonObject,
  references: NonNullable<BodyRules['references']>,
  send: (body: JsonObject) => Promise<ApiAnswer>,
): Promise<ApiAnswer> {
  const looked = async (): Promise<JsonObject> => {
    let resolved = body;
    for (const [path, of] of Object.entries(references)) {
      if ((memberAt(body, path) ?? null) === null) continue;
      const rows = await lookupRows(ctx, of);
      resolved = mapTextsAt(resolved, path, (word) => idOf(rowCalled(of, rows, word) ?? { id: word }));
    }
    return resolved;
  };
  if (ctx.dryRun) return await send((await unlessUnread(ctx, looked)) ?? body);
  try {
    return await send(body);
  } catch (error) {
    if (!isNotFound(error) && !(error instanceof Failure && error.status === 400)) throw error;
    const resolved = await looked().catch((other: unknown) => {
      rethrowUnlessFailure(other, ctx);
      throw other.exit === EXIT.usage || other.exit === EXIT.unavailable ? other : error;
    });
    if (encodeJson(resolved) === encodeJson(body)) throw error;
    return await send(resolved);
  }
}

/** `--set` overrides the file, and flags both. */
async function readBody(
  ctx: CommandContext,
  members: Members,
  values: Values,
  example: string,
  adapt: (document: JsonObject) => JsonObject,
): Promise<{ readonly file: JsonObject; readonly body: JsonObject }> {
  const path = textIn(values, 'file');
  const file = path === undefined ? {} : adapt(await readDocument(ctx, path));
  let body = file;
  for (const text of textsIn(values, 'set')) {
    const [, member = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    if (member.split('.').includes(''))
      throw usage(`--set takes PATH=VALUE, not ${JSON.stringify(text)}`, `--set ${example}`);
    body = withMember(body, member.split('.'), jsonOrText(value));
  }
  for (const [key, member] of Object.entries(members))
    if (isGiven(values[key]))
      body = withMember(body, member.path.split('.'), valueOf(member, values[key], memberAt(body, member.path)));
  return { file, body };
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

/** Deep; members of `over` win. */
export function merged(under: JsonObject, over: JsonObject): JsonObject {
  const members = Object.entries(over).map(([name, value]) => {
    const below = memberOf(under, name);
    return [name, isObject(below) && isObject(value) ? merged(below, value) : value] as const;
  });
  return { ...under, ...Object.fromEntries(members) };
}
