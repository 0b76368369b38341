/** The container of pods, endpoints, templates and clusters: its fields, its command, its variables. */
import { isDeepStrictEqual } from 'node:util';
import { usage } from '../core/failure.ts';
import {
  arrayOf,
  encodeJson,
  type Json,
  type JsonObject,
  memberAt,
  objectOf,
  stringAt,
  stringOf,
  tryDecodeJson,
} from '../core/json.ts';
import { berth, sentence, shellWord } from '../core/message.ts';
import { namedValues, utf8Text } from '../core/text.ts';
import { list } from '../output/cells.ts';
import type { Cell } from '../output/view.ts';
import { textsIn, type Values } from './model/command.ts';
import type { CommandContext } from './model/context.ts';
import { isGiven } from './model/params.ts';
import { pick } from './resource/arguments.ts';
import { REGISTRIES } from './resource/collections.ts';
import type { BodyContext, Field, Fields } from './resource/fields.ts';

/** What it runs: the text `args`, and `entrypoint` and `cmd` in exec form (additions 2). */
const PARTS = ['entrypoint', 'cmd'] as const;
type Part = (typeof PARTS)[number];

type Command = Readonly<Record<Part, readonly string[]>>;

export const COMMAND_MEMBERS = ['args', ...PARTS] as const;

const shellLineOf =
  (part: Part) =>
  (row: Json): Cell => {
    const args = stringAt(row, 'args') ?? '';
    const words = wordsAt(row, part) ?? jsonForm(args)?.[part];
    if (words !== undefined) return { text: words.map(shellWord).join(' ') };
    return { text: part === 'cmd' ? args : '' };
  };

/** A missing array is what `args` says. */
async function commandOf(document: Json): Promise<Command> {
  const said = await decodeArgs(stringAt(document, 'args') ?? '');
  return {
    entrypoint: wordsAt(document, 'entrypoint') ?? said.entrypoint,
    cmd: wordsAt(document, 'cmd') ?? said.cmd,
  };
}

/** Differences in spelling do not count. */
export async function changedCommand(row: Json, body: JsonObject): Promise<readonly string[]> {
  if (COMMAND_MEMBERS.every((member) => body[member] === undefined)) return [];
  const isText = body['args'] !== undefined;
  const before = await commandOf(row);
  const after = await commandOf(isText ? body : { ...before, ...body });
  const changed = PARTS.filter((part) => !isDeepStrictEqual(before[part], after[part]));
  return changed.length > 0 && isText ? ['args'] : changed;
}

/** Flags win over the file. Of a file with both forms the changed one; the service refuses forms that disagree. */
export async function settleCommand(
  body: JsonObject,
  { file, values, readRow }: Omit<BodyContext, 'ctx'>,
): Promise<JsonObject> {
  if (isGiven(values['cmd']) && isGiven(values['command'])) throw usage('use either --cmd or the words after --');
  const isNamed = (member: string): boolean => body[member] !== undefined && body[member] !== file[member];
  if (isNamed('args')) {
    if (!PARTS.some(isNamed)) return without(body, PARTS);
    throw usage('use either --args or --entrypoint, --cmd and the words after --');
  }
  const args = stringOf(body['args']);
  if (args === undefined || PARTS.every((part) => body[part] === undefined)) return body;
  if (PARTS.some(isNamed)) return without({ ...(await decodeArgs(args)), ...body }, ['args']);
  if (readRow === undefined) return body;
  const row = await readRow();
  const isKept = (member: string): boolean => isDeepStrictEqual(body[member] ?? [], memberAt(row, member) ?? []);
  return without(body, PARTS.every(isKept) ? PARTS : isKept('args') ? ['args'] : []);
}

const without = (body: JsonObject, members: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !members.includes(name)));

function wordsAt(document: Json, path: string): readonly string[] | undefined {
  const words = arrayOf(memberAt(document, path));
  return words?.every((word) => typeof word === 'string') === true ? words : undefined;
}

/** JSON form, else `cmd` split as a shell does, or at white space if a quote is not closed. */
async function decodeArgs(args: string): Promise<Command> {
  const decoded = jsonForm(args);
  if (decoded !== undefined) return decoded;
  const { split } = await import('shlex');
  try {
    return { entrypoint: [], cmd: split(args) };
  } catch {
    return { entrypoint: [], cmd: args.trim().split(/\s+/) };
  }
}

/** A JSON object with only `entrypoint` or `cmd`; undefined for another text. */
function jsonForm(args: string): Command | undefined {
  const object = objectOf(tryDecodeJson(args)) ?? {};
  const names = Object.keys(object);
  const isPart = (name: string): boolean => PARTS.some((part) => part === name) && wordsAt(object, name) !== undefined;
  if (names.length === 0 || !names.every(isPart)) return undefined;
  return { entrypoint: wordsAt(object, 'entrypoint') ?? [], cmd: wordsAt(object, 'cmd') ?? [] };
}

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

/** Only what bash and python-dotenv read alike, so that no value is truncated silently. */
const LINE =
  /[ \t]*(?:(?:export[ \t]+)?([A-Za-z_]\w*)=(?:'((?:[^'\\\r\0]|\\(?![\\']))*)'|"((?:[^"\\$`\r\0]|\\["\\n])*)"|((?:[^\s\p{Cc}'"\\$`;&|<>(){~]|(?<![=:])~)*)))?[ \t]*(?:(?<!\S)#[^\n]*)?(?:\n|$)/uy;

/** Usage (2) for another line. */
function parseVariables(text: string, from: string): readonly (readonly [name: string, value: string])[] {
  const variables: [string, string][] = [];
  for (let at = 0; at < text.length; at = LINE.lastIndex) {
    LINE.lastIndex = at;
    const found = LINE.exec(text);
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
function addVariables(given: readonly string[], before: Json | undefined): Json {
  const named = given.map((each) => {
    const at = each.indexOf('=');
    if (at < 1) throw usage(`--env takes NAME=VALUE, not ${JSON.stringify(each)}`);
    return [each.slice(0, at), each.slice(at + 1)] as const;
  });
  return { ...objectOf(before), ...namedValues('--env', named) };
}

/** Only marks; `completeVariables` removes them. */
const removeVariables = (names: readonly string[], before: Json | undefined): Json => ({
  ...objectOf(before),
  ...Object.fromEntries(names.map((name) => [name, null])),
});

const unchangedOrEmpty = (_: unknown, before: Json | undefined): Json => before ?? {};

/** From `--env`, files and references; an update keeps the other variables, since the service replaces all of them. */
async function completeVariables(body: JsonObject, of: BodyContext): Promise<JsonObject> {
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

/** Each text of the value. Empty text removes a value. */
const matching =
  (flag: string, pattern: RegExp, form: string) =>
  (given: Json): void => {
    const wrong = (arrayOf(given) ?? [given]).find((each) => !pattern.test(stringOf(each) ?? ''));
    if (wrong !== undefined) throw usage(`invalid ${flag} ${encodeJson(wrong)}: use ${form}`);
  };

export const cudaVersions = (flag: string) => matching(flag, /^(?:\d+\.\d+)?$/, 'a version such as 12.8');

const variableName = matching('--env', /^[^\s\p{Cc}=]*$/u, 'a name without white space');

/** Clusters have these without the registry (specification 2.1 and 9). All can be created and updated. */
export const CONTAINER_FIELDS = {
  image: {
    path: 'image',
    check: matching('--image', /^(?![a-z]+:\/\/)[^\s\p{Cc}]*$/iu, 'REGISTRY/NAME:TAG, without https://'),
    write: {
      text: 'the container image',
      metavar: 'IMAGE',
      ask: { kind: 'text', question: 'Image', answer: 'an image' },
    },
  },
  args: {
    path: 'args',
    write: { text: 'its command as one text, split as in a shell' },
    complete: settleCommand,
  },
  // Decoded `args` (additions 2).
  entrypoint: {
    path: 'entrypoint',
    type: 'list',
    show: shellLineOf('entrypoint'),
    lines: (row) =>
      [{ label: 'entrypoint', value: shellLineOf('entrypoint')(row) }].filter(({ value }) => value.text !== ''),
    write: { texts: "in the place of the image's entrypoint: one word, repeatable", metavar: 'WORD' },
  },
  cmd: {
    path: 'cmd',
    type: 'list',
    show: shellLineOf('cmd'),
    write: { texts: 'one word of the command, repeatable; or all words after --', metavar: 'WORD' },
  },
  command: {
    writeOnly: true,
    write: { afterDashes: 'the command and its arguments, as they are', metavar: '-- COMMAND ARGS...', path: 'cmd' },
  },
  disk: {
    path: 'disk',
    type: 'gigabytes',
    write: { count: 'container disk in GB, erased on restart; billed separately', least: 1, metavar: 'GB' },
  },
  port: {
    path: 'ports',
    type: 'list',
    label: 'ports',
    check: matching('--port', /^(?:[1-9]\d{0,4}\/[a-z]+)?$/i, 'a port and a protocol, such as 8080/http'),
    lines: (row) => [{ label: 'ports', value: list('ports')(row).join(', ') }],
    write: { list: 'ports to publish, such as 8080/http', metavar: 'PORT/PROTOCOL' },
  },
  env: {
    path: 'env',
    type: 'pairs',
    check: (variables) => {
      variableName(Object.keys(objectOf(variables) ?? {}));
    },
    write: {
      texts: 'an environment variable; NAME=@secret:SECRET for a secret',
      short: '-e',
      metavar: 'NAME=VALUE',
      value: addVariables,
    },
    complete: completeVariables,
  },
  envFrom: {
    writeOnly: true,
    write: {
      texts: 'read variables from a file of NAME=VALUE lines',
      metavar: 'FILE',
      complete: 'file',
      path: 'env',
      value: unchangedOrEmpty,
    },
  },
  unsetEnv: {
    writeOnly: true,
    update: {
      list: 'remove these variables',
      metavar: 'NAME',
      path: 'env',
      value: removeVariables,
    },
  },
  replaceEnv: {
    writeOnly: true,
    update: {
      on: 'replace all variables by those that are given',
      path: 'env',
      value: unchangedOrEmpty,
    },
  },
  registry: {
    path: 'registry',
    write: {
      text: 'credential for a private image, by id or name',
      metavar: 'REGISTRY',
      complete: REGISTRIES,
      ask: pick(REGISTRIES),
    },
  },
} as const satisfies Fields;

export const CONTAINER_SECTION = {
  title: 'container',
  fields: ['image', 'entrypoint', 'cmd', 'disk', 'registry', 'port', 'env'],
} as const;

export const CONTAINER_MEMBERS = ['image', 'args', 'entrypoint', 'cmd', 'disk', 'ports', 'env', 'registry'] as const;

export const NAME_FLAG = {
  text: 'its name',
  metavar: 'NAME',
  ask: { kind: 'text', question: 'Name', answer: 'a name' },
} as const;

export const CREATED_AT = { path: 'createdAt', type: 'time', label: 'created', column: { header: 'AGE' } } as const;

export const onOff = (summary: string) => ({
  choice: summary,
  choices: ['on', 'off'],
  value: (word: string): Json => word === 'on',
});

/** For resources that accept it at creation and never show it. */
export const createOnly = ({ write, ...field }: Field): Field => ({
  ...field,
  writeOnly: true,
  ...(write === undefined ? {} : { create: write }),
});
