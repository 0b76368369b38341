/** Variables of a container: from flags and files, with the placeholders of secrets. */
import { usage } from '../core/failure.ts';
import { type Json, type JsonObject, memberAt, objectOf, stringOf } from '../core/json.ts';
import { berth, sentence } from '../core/message.ts';
import { namedValues, utf8Text } from '../core/text.ts';
import { textsIn, type Values } from './model/command.ts';
import type { CommandContext } from './model/context.ts';
import type { BodyContext } from './resource/fields.ts';

const REFERENCE = /^@secret:(.*)$/s;

/** Replaces `@secret:NAME`: the service puts the secret there at container start. Usage (2) without a name or prefix. */
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
  return `{{ ${prefix}_SECRET_${name} }}`;
}

/** From files as .env libraries read them. Usage (2) for other lines or several values of a name, and as the reads do. */
export async function readVariableFiles(
  ctx: CommandContext,
  paths: readonly string[],
): Promise<Record<string, string>> {
  const files = paths.map(async (path) => {
    const from = `--env-from ${path}`;
    return parseVariables(utf8Text(await ctx.files.read(path), from, 'Save it as UTF-8.'), from);
  });
  return namedValues('--env-from', (await Promise.all(files)).flat());
}

/** Usage (2) for another line. */
function parseVariables(text: string, from: string): readonly (readonly [name: string, value: string])[] {
  // Only what bash and python-dotenv read alike, so that no value is truncated silently.
  const line =
    /[ \t]*(?:(?:export[ \t]+)?([A-Za-z_]\w*)=(?:'((?:[^'\\\r\0]|\\(?![\\']))*)'|"((?:[^"\\$`\r\0]|\\["\\n])*)"|((?:[^\s\p{Cc}'"\\$`;&|<>(){~]|(?<![=:])~)*)))?[ \t]*(?:(?<!\S)#[^\n]*)?(?:\n|$)/uy;
  const variables: [string, string][] = [];
  for (let at = 0; at < text.length; at = line.lastIndex) {
    line.lastIndex = at;
    const found = line.exec(text);
    if (found === null)
      throw usage(
        `${from}, line ${text.slice(0, at).split('\n').length}: shells and .env libraries read it differently`,
        "Write one variable a line, its value in single quotes, with line feeds alone: NAME='VALUE'",
      );
    const [, name, single, double, bare = ''] = found;
    const unescaped = double?.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));
    if (name !== undefined) variables.push([name, single ?? unescaped ?? bare]);
  }
  return variables;
}

/** Merges by name. Usage (2). */
export function addVariables(given: readonly string[], before: Json | undefined): Json {
  const named = given.map((each) => {
    const at = each.indexOf('=');
    if (at < 1) throw usage(`--env takes NAME=VALUE, not ${JSON.stringify(each)}`);
    return [each.slice(0, at), each.slice(at + 1)] as const;
  });
  return { ...objectOf(before), ...namedValues('--env', named) };
}

/** Only marks; `completeVariables` removes them. */
export const removeVariables = (names: readonly string[], before: Json | undefined): Json => ({
  ...objectOf(before),
  ...Object.fromEntries(names.map((name) => [name, null])),
});

export const unchangedOrEmpty = (_: unknown, before: Json | undefined): Json => before ?? {};

/** From `--env`, files and references; an update keeps the other variables, since the service replaces all of them. */
export async function completeVariables(body: JsonObject, of: BodyContext): Promise<JsonObject> {
  const { ctx, values, file, readRow } = of;
  // `apply` removes all variables so.
  if (body['env'] === null && file['env'] === undefined) return body;
  const given = await completeEnvironment(ctx, body['env'], values);
  if (given === undefined) return body;
  if (readRow === undefined) return { ...body, env: given };
  const before = objectOf(memberAt(await readRow(), 'env')) ?? {};
  const all = file['env'] !== undefined || values['replaceEnv'] === true ? given : { ...before, ...given };
  const env = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(env, name));
  if (gone.length > 0) await ctx.tell(`These variables go away: ${gone.join(', ')}.`);
  return { ...body, env };
}

/** The body wins over files. Replaces `@secret:NAME`. Undefined where there is nothing. Usage (2), local-file (14). */
export async function completeEnvironment(
  ctx: CommandContext,
  given: Json | undefined,
  values: Values,
): Promise<JsonObject | undefined> {
  const files = textsIn(values, 'envFrom');
  if (given === undefined && files.length === 0) return undefined;
  const read = await readVariableFiles(ctx, files);
  // Not assigned: a variable may be named __proto__.
  const variables: JsonObject = Object.fromEntries([...Object.entries(read), ...Object.entries(objectOf(given) ?? {})]);
  const prefix = ctx.settings.local ? 'BERTH' : ctx.settings.get('secret-prefix');
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => {
      const text = stringOf(value);
      return [name, text === undefined ? value : withPlaceholder(text, prefix)];
    }),
  );
}
