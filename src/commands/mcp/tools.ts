/** Tools made from the commands: one each, with its arguments and flags as JSON Schema. */
import { type Command, type NamedCommand, visibleOptions } from '../../cli/model/command.ts';
import { ANYTHING, CONTRACT_PREFIX, either, type OutputSchema, printedSchema } from '../../cli/model/output-schema.ts';
import { flagName, type Param } from '../../cli/model/params.ts';
import { usage } from '../../core/failure.ts';
import { arrayOf, encodeJson, type JsonObject, stringOf } from '../../core/json.ts';

export const ALLOWED = ['read', 'write', 'destroy'] as const;
export type Allowed = (typeof ALLOWED)[number];

export interface Tool extends NamedCommand {
  readonly name: string;
}

/** They need a terminal, a person or another program, do not end, or could name a program to run (the setting notify). */
const LEFT_OUT = [
  'config set',
  ...['mcp', 'completion', 'top', 'metrics', 'local serve', 'local exec', 'auth login', 'auth logout', 'auth switch'],
  ...['pods ssh', 'pods exec', 'pods cp', 'pods forward', 'pods ssh-config'],
];

/** What is offered without --tools. */
const USUAL = [
  ...of('pods', 'list get create update terminate start stop wait logs explain'),
  ...of('endpoints', 'list get create update delete workers releases logs explain'),
  ...of('jobs', 'run status stream cancel wait recent explain'),
  ...of('volumes', 'list get create delete'),
  ...['jobs batch run', 'jobs batch status', 'run', 'health', 'files ls', 'catalog gpus', 'account balance'],
  'billing summary',
];

function of(noun: string, verbs: string): readonly string[] {
  return verbs.split(' ').map((verb) => `${noun} ${verb}`);
}

const needOf = ({ writes, destroys, changesMachine }: Command): Allowed =>
  destroys ? 'destroy' : writes || changesMachine ? 'write' : 'read';

/** Usage (2) for an unknown group. */
export function toolsOf(
  commands: readonly NamedCommand[],
  groups: readonly string[],
  allowed: Allowed,
): readonly Tool[] {
  const nouns = [...new Set(commands.map(({ path }) => path[0] ?? ''))];
  const unknown = groups.find((group) => group !== 'all' && !nouns.includes(group));
  if (unknown !== undefined)
    throw usage(`--tools: there is no group ${JSON.stringify(unknown)}`, `Use all, ${nouns.join(', ')}.`);
  return commands.flatMap(({ path, command }) => {
    const words = path.join(' ');
    const isWanted =
      groups.length === 0 ? USUAL.includes(words) : groups.includes('all') || groups.includes(path[0] ?? '');
    const isAllowed = ALLOWED.indexOf(needOf(command)) <= ALLOWED.indexOf(allowed);
    const isOffered = isWanted && isAllowed && command.hidden !== true && !LEFT_OUT.includes(words);
    return isOffered ? [{ path, command, name: path.join('_') }] : [];
  });
}

/** Asked about elsewhere: a call is the answer. A watch has no end. A notice runs any program. */
const NOT_SHOWN = new Set(['yes', 'notify', 'watch', 'interval', 'follow', 'times']);

const wordOf = (key: string): string => flagName(key).slice(2);

const paramsOf = ({ command }: Tool): readonly (readonly [word: string, key: string, param: Param<unknown>])[] =>
  [...Object.entries(command.args), ...visibleOptions(command).filter(([key]) => !NOT_SHOWN.has(key))].map(
    ([key, param]) => [wordOf(key), key, param],
  );

export function describeTool(tool: Tool): JsonObject {
  const { name, command } = tool;
  const params = paramsOf(tool);
  const output = command.output && printedSchema(command);
  return {
    name,
    description: [`${command.summary}.`, command.details ?? ''].join(' ').trim(),
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(params.map(([word, , param]) => [word, schemaOf(param)])),
      required: params.flatMap(([word, , { required, unless }]) => (required && unless === undefined ? [word] : [])),
      additionalProperties: false,
    },
    ...(output && { outputSchema: wrapped(output) }),
    annotations: {
      readOnlyHint: needOf(command) === 'read',
      destructiveHint: command.destroys === true,
      openWorldHint: true,
    },
  };
}

/** A tool answers an object. Schemas of the published contract would fill the context of a model. */
const wrapped = (output: OutputSchema): JsonObject => ({
  type: 'object',
  // Null: nothing was to be done.
  properties: { result: either(encodeJson(output).includes(CONTRACT_PREFIX) ? ANYTHING : output, { type: 'null' }) },
  required: ['result'],
});

function schemaOf({ kind, metavar, many, choices, format, summary, initialText }: Param<unknown>): JsonObject {
  const description = initialText === undefined ? summary : `${summary} (default ${initialText})`;
  const isSwitch = kind === 'flag' && metavar === undefined;
  const type = isSwitch ? 'boolean' : format === 'integer' || format === 'number' ? format : 'string';
  const value = { type, ...(choices === undefined ? {} : { enum: [...choices] }) };
  return many ? { type: 'array', items: value, description } : { ...value, description };
}

/** The words of a call. Usage (2) for an argument that the tool does not have. */
export function wordsOf(tool: Tool, given: JsonObject): readonly string[] {
  const params = paramsOf(tool);
  const unknown = Object.keys(given).find((word) => !params.some(([known]) => known === word));
  if (unknown !== undefined)
    throw usage(
      `${tool.name} has no argument ${JSON.stringify(unknown)}`,
      `It has ${params.map(([word]) => word).join(', ')}.`,
    );
  const [flags, words, last]: [string[], string[], string[]] = [[], [], []];
  for (const [word, key, param] of params) {
    const value = given[word] ?? null;
    const texts = (arrayOf(value) ?? [value]).flatMap((each) =>
      each === null || each === false ? [] : [stringOf(each) ?? encodeJson(each)],
    );
    if (param.kind === 'argument') (param.afterDashes === true ? last : words).push(...texts);
    else flags.push(...texts.map((text) => (param.metavar === undefined ? flagName(key) : `${flagName(key)}=${text}`)));
  }
  const yes = 'yes' in tool.command.options && given['dry-run'] !== true ? ['--yes'] : [];
  const [before, after] = words.some((text) => text.startsWith('-')) ? [[], [...words, ...last]] : [words, last];
  return [...tool.path, ...yes, ...flags, ...before, ...(after.length > 0 ? ['--', ...after] : [])];
}
