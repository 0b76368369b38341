import { textsIn, type Values } from '../model/command.ts';
import type { CommandContext } from '../model/context.ts';
import { SECRETS } from '../resource/collections.ts';
import type { FieldUpdate } from '../resource/fields.ts';
import { listRows } from '../resource/requests.ts';
import { countOf } from '../words.ts';
import { type Failure, unlessFailed, usage } from '../../core/failure.ts';
import { type Json, type JsonObject, memberAt, objectOf, stringAt, stringOf } from '../../core/json.ts';
import { berth, sentence } from '../../core/message.ts';
import { namedValues, utf8Text } from '../../core/text.ts';

const REFERENCE = /^@secret:(.*)$/s;

/** Any prefix. Names of secrets: additions 7. */
const PLACEHOLDER = /\{\{\s*[A-Za-z][A-Za-z0-9_]*?_SECRET_([a-zA-Z_][a-zA-Z0-9_.\-/]*)\s*\}\}/g;

/** The service replaces it at container start (additions 7). */
const placeholderOf = (prefix: string, name: string): string => `{{ ${prefix}_SECRET_${name} }}`;

export const secretNamesIn = (value: string): readonly string[] =>
  [...value.matchAll(PLACEHOLDER)].flatMap(([, name]) => name ?? []);

/** May not be replaced: other spaces, surrounding text or another prefix (additions 7 does not say). */
const isUnusualPlaceholder = (value: string, prefix: string | undefined): boolean => {
  const names = secretNamesIn(value);
  if (names.length === 0) return false;
  return prefix === undefined
    ? !/^\{\{ [A-Za-z][A-Za-z0-9_]*_SECRET_[^ {}]+ \}\}$/.test(value)
    : value !== placeholderOf(prefix, names[0] ?? '');
};

/** Replaces `@secret:NAME`. Usage (2) without a name or prefix. */
function withPlaceholder(value: string, prefix: string | undefined): string {
  const name = REFERENCE.exec(value)?.[1];
  if (name === undefined) return value;
  if (!/^[a-zA-Z_][a-zA-Z0-9_.\-/]*$/.test(name))
    throw usage(
      `@secret: takes the name of a secret, not ${JSON.stringify(name)}`,
      sentence`See ${berth`secrets list`}.`,
    );
  if (prefix === undefined)
    throw usage(
      'the prefix of the placeholders of secrets is not known for this service',
      sentence`Its documentation says what stands before _SECRET_ in {{ PREFIX_SECRET_name }}: ${berth`config set secret-prefix`}, with that text`,
    );
  return placeholderOf(prefix, name);
}

/** Files of variables: `NAME=VALUE` lines, as in a .env file. */

interface VariableFile {
  readonly flag: string;
  readonly path: string;
}

/** As a .env file. Usage (2) for other lines or several values of a name, and as the reads do. */
export async function readVariableFiles(
  ctx: CommandContext,
  files: readonly VariableFile[],
): Promise<ReadonlyMap<string, string>> {
  const all = new Map<string, string>();
  const read: (VariableFile & { readonly variables: ReadonlyMap<string, string> })[] = [];
  for (const file of files) {
    const variables = await readVariables(ctx, file);
    for (const { flag, path, variables: earlier } of read) {
      const both = [...variables.keys()].filter((name) => earlier.has(name));
      if (both.length > 0)
        throw usage(`${flag} ${path} and ${file.flag} ${file.path} both give ${both.join(', ')}`, ONE_VALUE);
    }
    read.push({ ...file, variables });
    for (const [name, value] of variables) all.set(name, value);
  }
  return all;
}

const ONE_VALUE = 'A variable has one value: keep one of them.';

export async function readVariables(
  ctx: CommandContext,
  { flag, path }: VariableFile,
): Promise<ReadonlyMap<string, string>> {
  const from = `${flag} ${path}`;
  return parseVariables(utf8Text(await ctx.files.read(path), from, 'Save it as UTF-8.'), from);
}

const EMPTY = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;
const NAME = /[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)=/y;
/** Single-quoted, double-quoted or bare; then a comment or nothing. */
const VALUE =
  /(?:'((?:[^'\\]|\\(?![\\']))*)'|"((?:[^"\\$`]|\\["\\n])*)"|((?:[^\s\p{Cc}'"\\$`;&|<>(){~]|(?<![=:])~)*))[ \t]*(?:(?<=[ \t])#[^\n]*)?(?:\n|$)/uy;

/** Usage (2) where bash and python-dotenv differ, so that no value is truncated silently. */
function parseVariables(text: string, from: string): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  const twice = new Set<string>();
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text) ?? undefined;
    at += found?.[0].length ?? 0;
    return found;
  };
  const refusal = (what: string, hint: string): Failure =>
    usage(`${from}, line ${text.slice(0, at).split('\n').length}: ${what}`, hint);
  at = Math.max(text.search(/[\0\r]/), 0);
  if (at > 0) throw refusal('a carriage return or NUL', 'Save it with line feeds alone, as dos2unix does.');
  while (at < text.length) {
    if (match(EMPTY) !== undefined) continue;
    const name = match(NAME)?.[1];
    if (name === undefined) throw refusal('not NAME=VALUE', 'One variable a line, without spaces around "=".');
    const value = match(VALUE);
    if (value === undefined)
      throw refusal(
        `shells and .env libraries read the value of ${name} differently`,
        `Write it in single quotes: ${name}='VALUE'.`,
      );
    const [, single, double, bare = ''] = value;
    if (variables.has(name)) twice.add(name);
    variables.set(name, single ?? double?.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char)) ?? bare);
  }
  if (twice.size > 0) throw usage(`${from} gives ${[...twice].join(', ')} twice`, ONE_VALUE);
  return variables;
}

/** The environment of containers, from `--env`, `--env-from` and references to secrets. */

/** The most variables of a pod (contract rules, Pods). */
const MAX_VARIABLES = 50;

const LOCAL_PREFIX = 'BERTH';

/** Replaces values in printed command lines: they may be secrets. */
export const LEFT_OUT = '...';

/** Merges by name. Usage (2). */
export function addVariables(given: readonly string[], before: Json | undefined): Json {
  const named = given.map((each) => {
    const at = each.indexOf('=');
    if (at < 1) throw usage(`--env takes NAME=VALUE, not ${JSON.stringify(each)}`);
    if (each.slice(at + 1) === LEFT_OUT)
      throw usage(`--env ${each.slice(0, at)}=${LEFT_OUT} stands for a value that was left out`, 'Write the value.');
    return [each.slice(0, at), each.slice(at + 1)] as const;
  });
  return { ...objectOf(before), ...namedValues('--env', named) };
}

/** Only marks; `fillEnvironment` removes them. */
export const removeVariables = (names: readonly string[], before: Json | undefined): Json => ({
  ...objectOf(before),
  ...Object.fromEntries(names.map((name) => [name, null])),
});

export const unchangedOrEmpty = (_: unknown, before: Json | undefined): Json => before ?? {};

/** The service replaces all variables (contract rules, Pods): merges, names removed ones. */
export async function fillEnvironment(
  ctx: CommandContext,
  given: Json | undefined,
  { values, isWhole, readRow }: FieldUpdate,
): Promise<Json | undefined> {
  const variables = objectOf(given);
  if (variables === undefined) return undefined;
  const before = objectOf(memberAt(await readRow(), 'env')) ?? {};
  const unset = textsIn(values, 'unsetEnv');
  const both = unset.find((name) => envOf(values).some((given) => given.startsWith(`${name}=`)));
  if (both !== undefined) throw usage(`--env and --unset-env both name ${both}`, 'Keep one of them.');
  const all = isWhole || values['replaceEnv'] === true ? variables : { ...before, ...variables };
  const kept = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
  checkNumber(kept);
  const missing = Object.keys(variables).filter((name) => variables[name] === null && !Object.hasOwn(before, name));
  if (missing.length > 0) await ctx.tell(`No variable is named ${missing.join(' or ')}.`);
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(kept, name));
  if (gone.length > 0) await ctx.tell(`These variables go away: ${gone.join(', ')}.`);
  return kept;
}

const envOf = (values: Values): readonly string[] => textsIn(values, 'env');

function checkNumber(variables: JsonObject): void {
  const { length } = Object.keys(variables);
  if (length > MAX_VARIABLES)
    throw usage(`${countOf(length, 'variable')}: a container has at most ${String(MAX_VARIABLES)}`);
}

/** The body wins over files. Replaces `@secret:NAME`; warns of missing ones. Usage (2), local-file (14). */
export async function completeEnvironment(
  ctx: CommandContext,
  given: Json | undefined,
  values: Values,
): Promise<Json | undefined> {
  const files = textsIn(values, 'envFrom');
  const alsoReadByNode = textsIn(values, 'envFile');
  if (given === undefined && files.length === 0 && alsoReadByNode.length === 0) return undefined;
  for (const path of alsoReadByNode) await checkEnvFile(ctx, path);
  const read = await readVariableFiles(ctx, [
    ...alsoReadByNode.map((path) => ({ flag: '--env-file', path })),
    ...files.map((path) => ({ flag: '--env-from', path })),
  ]);
  // Not assigned: a variable may be named __proto__.
  const variables: JsonObject = Object.fromEntries([...read, ...Object.entries(objectOf(given) ?? {})]);
  checkNumber(variables);
  const prefix = ctx.settings.local ? LOCAL_PREFIX : ctx.settings.get('secret-prefix');
  const complete = Object.fromEntries(
    Object.entries(variables).map(([name, value]) => {
      const text = stringOf(value);
      return [name, text === undefined ? value : withPlaceholder(text, prefix)];
    }),
  );
  await warnOfUnusualPlaceholders(ctx, complete, prefix);
  await warnOfMissingSecrets(ctx, complete);
  return complete;
}

/** Node reads its own `--env-file` first: a pipe is empty, NODE_OPTIONS applies. Usage (2). */
async function checkEnvFile(ctx: CommandContext, path: string): Promise<void> {
  const instead = `--env-from ${path === '-' ? '-' : 'FILE'} reads it in berth only.`;
  if (path === '-' || (await ctx.files.mode(path)) === undefined)
    throw usage(
      `--env-file ${path} is no regular file, and Node reads what --env-file names before berth can`,
      instead,
    );
  if ((await readVariables(ctx, { flag: '--env-file', path })).has('NODE_OPTIONS'))
    throw usage(`--env-file ${path} has NODE_OPTIONS, which Node obeys in berth itself`, instead);
}

async function warnOfUnusualPlaceholders(
  ctx: CommandContext,
  variables: JsonObject,
  prefix: string | undefined,
): Promise<void> {
  for (const [variable, value] of Object.entries(variables))
    if (isUnusualPlaceholder(stringOf(value) ?? '', prefix))
      await ctx.tell(
        `Warning: ${variable} has a placeholder of a secret that the service may leave as it is: it replaces a value that is ${placeholderOf(prefix ?? 'PREFIX', 'name')} and nothing else.`,
      );
}

/** Only a warning: it may be created before the start, or the key may not read the list. */
async function warnOfMissingSecrets(ctx: CommandContext, variables: JsonObject): Promise<void> {
  const named = Object.entries(variables).flatMap(([variable, value]) => {
    return secretNamesIn(stringOf(value) ?? '').map((name) => ({ variable, name }));
  });
  if (named.length === 0) return;
  const rows = await unlessFailed(ctx, async () => (await listRows(ctx, SECRETS)).values);
  if (rows === undefined) return;
  const known = new Set(rows.map((row) => stringAt(row, 'name')));
  for (const { variable, name } of named)
    if (!known.has(name))
      await ctx.tell(
        sentence`Warning: no secret is named ${name}: ${variable} will have no usable value. Create it: ${berth`secrets create --name ${name}`}`,
      );
}
