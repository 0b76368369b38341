/** The environment of containers, from `--env`, `--env-from` and references to secrets. */
import { berth, sentence } from '../../core/message.ts';
import { namedValues } from '../../core/text/named-values.ts';
import { unlessFailed, usage } from '../../core/failure.ts';
import { memberAt, objectOf, stringAt, stringOf, type Json, type JsonObject } from '../../core/json.ts';
import type { Values } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import type { FieldUpdate } from '../../cli/resource/fields/fields.ts';
import { listRows } from '../../cli/resource/identity/requests.ts';
import { countOf } from '../../cli/words/words.ts';
import { SECRETS } from './collections.ts';
import { isUnusualPlaceholder, placeholderOf, secretNamesIn, withPlaceholder } from './secret-placeholder.ts';
import { textsIn } from '../../cli/model/values.ts';
import { readVariableFiles, readVariables } from './variable-files.ts';

/** The most variables of a pod (contract rules, Pods). */
const MAX_VARIABLES = 50;

/** The prefix of the placeholders of the local service, when `berth --local` is used. */
const LOCAL_PREFIX = 'BERTH';

/** In place of the value of a variable, in a command line that berth prints: the value may be a secret. */
export const LEFT_OUT = '...';

/** Adds the `NAME=VALUE` texts to the variables of the body, name by name. Fails with usage (2). */
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

/** Marks variables for removal: `fillEnvironment` takes them away. */
export const removeVariables = (names: readonly string[], before: Json | undefined): Json => ({
  ...objectOf(before),
  ...Object.fromEntries(names.map((name) => [name, null])),
});

/** The variables of a body as they are. */
export const unchangedOrEmpty = (_: unknown, before: Json | undefined): Json => before ?? {};

/**
 * The variables of an update: the present ones with those that are given, because the service replaces all of them (contract
 * rules, Pods). Those of a file, or with `--replace-env`, are all. Names what goes away. Fails as the read of the row.
 */
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

/**
 * The variables of a body with those of `--env-from` and `--env-file` under them, and with placeholders in the place of `@secret:NAME`.
 * Warns about placeholders that name no secret. Fails with usage (2) for a wrong file or reference and for too many
 * variables, and with local-file (14) for a file that cannot be read. Undefined when the body has no variables.
 */
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

/**
 * Checks the file of `--env-file`. Node has an option of that name and looks for it in all words of a command line: it reads
 * the file before berth begins, so that a pipe is empty then, and obeys NODE_OPTIONS in it. Fails with usage (2) for such a file.
 */
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

/** A missing secret is no error: it may be created before the container starts. The list may be unreadable for this key. */
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
