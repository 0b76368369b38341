/** Tools made from the commands: one each, with its arguments and flags as JSON Schema. */
import { type Command, commandsIn, type NamedCommand, type Program, visibleOptions } from '../../cli/model/command.ts';
import { ANYTHING, CONTRACT_PREFIX, either, printedSchema } from '../../cli/model/output-schema.ts';
import { flagName, type Param } from '../../cli/model/params.ts';
import { usage } from '../../core/failure.ts';
import { arrayOf, encodeJson, type JsonObject, stringOf } from '../../core/json.ts';

export const ALLOWED = ['read', 'write', 'destroy'] as const;
export type Allowed = (typeof ALLOWED)[number];

export type Tool = NamedCommand & { readonly name: string };

const verbs = (noun: string, names: string): readonly string[] => names.split(' ').map((verb) => `${noun} ${verb}`);

/** They need a terminal, a person or another program, do not end, or could name a program to run (the setting notify). */
const LEFT_OUT =
  /^(mcp|completion|top|metrics|config set|local (serve|exec)|auth log(in|out)|auth switch|pods (ssh.*|exec|cp|forward))$/;

/** What is offered without --tools. */
const USUAL = [
  ...verbs('pods', 'list get create update terminate start stop wait logs explain'),
  ...verbs('endpoints', 'list get create update delete workers releases logs explain'),
  ...verbs('jobs', 'run status stream cancel wait recent explain'),
  ...[...verbs('jobs batch', 'run status'), ...verbs('volumes', 'list get create delete')],
  ...['run', 'health', 'files ls', 'catalog gpus', 'account balance', 'billing summary'],
];

const needOf = ({ writes, destroys, changesMachine }: Command): Allowed =>
  destroys ? 'destroy' : writes || changesMachine ? 'write' : 'read';

/** Usage (2) for an unknown group. What is returned loads the nouns of the groups: that takes longer than all else of a start. */
export function toolsOf(program: Program, groups: readonly string[], allowed: Allowed) {
  const names = [...program.nouns.keys()];
  const unknown = groups.find((group) => group !== 'all' && !names.includes(group));
  if (unknown !== undefined)
    throw usage(`--tools: there is no group ${JSON.stringify(unknown)}`, `Use all, ${names.join(', ')}.`);
  const isWanted = (words: string): boolean => (groups.length === 0 ? USUAL.includes(words) : !LEFT_OUT.test(words));
  const wanted = groups.length === 0 ? USUAL.map((words) => words.split(' ')[0]) : groups;
  const nouns = [...program.nouns.values()].filter(({ name }) => wanted.includes('all') || wanted.includes(name));
  return async (): Promise<readonly Tool[]> => {
    const loaded = nouns.map(async (noun) => commandsIn(await noun.load(program), [noun.name]));
    return (await Promise.all(loaded))
      .flat()
      .filter(({ path, command }) => isWanted(path.join(' ')) && command.hidden !== true)
      .filter(({ command }) => ALLOWED.indexOf(needOf(command)) <= ALLOWED.indexOf(allowed))
      .map(({ path, command }) => ({ path, command, name: path.join('_') }));
  };
}

/** Asked about elsewhere: a call is the answer. A watch has no end. A notice runs any program. */
const NOT_SHOWN = ['yes', 'notify', 'watch', 'interval', 'follow', 'times'];

const paramsOf = ({ command }: Tool): ReadonlyMap<string, Param<unknown>> => {
  const options = visibleOptions(command).filter(([key]) => !NOT_SHOWN.includes(key));
  return new Map([...Object.entries(command.args), ...options].map(([key, param]) => [flagName(key).slice(2), param]));
};

export function describeTool(tool: Tool): JsonObject {
  const { name, command } = tool;
  const params = [...paramsOf(tool)];
  const output = command.output && printedSchema(command);
  // Schemas of the published contract would fill the context of a model. Null: nothing was to be done.
  const isLong = encodeJson(output ?? null).includes(CONTRACT_PREFIX);
  const result = either(output === undefined || isLong ? ANYTHING : output, { type: 'null' });
  return {
    name,
    description: [`${command.summary}.`, command.details ?? ''].join(' ').trim(),
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(params.map(([word, param]) => [word, schemaOf(param)])),
      required: params.flatMap(([word, { required, unless }]) => (required && unless === undefined ? [word] : [])),
      additionalProperties: false,
    },
    ...(output && { outputSchema: { type: 'object', properties: { result }, required: ['result'] } }),
    annotations: { readOnlyHint: needOf(command) === 'read', destructiveHint: command.destroys === true },
  };
}

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
  const unknown = Object.keys(given).find((word) => !params.has(word));
  const hint = `It has ${[...params.keys()].join(', ')}.`;
  if (unknown !== undefined) throw usage(`${tool.name} has no argument ${JSON.stringify(unknown)}`, hint);
  const [flags, words, last]: [string[], string[], string[]] = [[], [], []];
  for (const [word, { kind, afterDashes, metavar }] of params) {
    const value = given[word] ?? null;
    const texts = (arrayOf(value) ?? [value])
      .filter((each) => each !== null && each !== false)
      .map((each) => stringOf(each) ?? encodeJson(each));
    if (kind === 'argument') (afterDashes === true ? last : words).push(...texts);
    else flags.push(...texts.map((text) => (metavar === undefined ? `--${word}` : `--${word}=${text}`)));
  }
  const yes = 'yes' in tool.command.options && given['dry-run'] !== true ? ['--yes'] : [];
  const [before, after] = words.some((text) => text.startsWith('-')) ? [[], [...words, ...last]] : [words, last];
  return [...tool.path, ...yes, ...flags, ...before, ...(after.length > 0 ? ['--', ...after] : [])];
}
