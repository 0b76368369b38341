import { listCommand } from '../../cli/hint.ts';
import {
  type Command,
  COMMON_EXITS,
  exitsOf,
  type Group,
  type Program,
  visibleOptions,
} from '../../cli/model/command.ts';
import { printedSchema, schemaNameOf } from '../../cli/model/common-schemas.ts';
import type { GlobalFlag } from '../../cli/model/global-flags.ts';
import { ANY_OBJECT, manyOf, ownObject, TEXT } from '../../cli/model/output-schema.ts';
import { argumentName, flagName, namesProgram, type Param, type Params } from '../../cli/model/params.ts';
import { EXIT_CODES } from '../../core/exit-codes.ts';
import type { JsonObject } from '../../core/json.ts';
import { berth, NO_WORDS, printed } from '../../core/message.ts';
import type { View } from '../../output/view.ts';
import { findSetting, OTHER_VARIABLES, type Setting, SETTINGS } from '../../settings/settings-table.ts';

export interface NamedCommand {
  readonly path: readonly string[];
  readonly command: Command;
}

/** In the order of help. Loads the module of every noun. */
export async function commandsOf(program: Program): Promise<readonly NamedCommand[]> {
  const loaded = await Promise.all(program.nouns.map(async (noun) => ({ noun, target: await noun.load(program) })));
  return loaded.flatMap(({ noun, target }) => commandsIn([noun.name], target));
}

/** `path` are the words before them. */
export function commandsIn(path: readonly string[], target: Command | Group): readonly NamedCommand[] {
  if (target.kind === 'command') return [{ path, command: target }];
  return Object.entries(target.commands).flatMap(([verb, inner]) => commandsIn([...path, verb], inner));
}

const WAITING_FLAGS = ['wait', 'follow', 'watch', 'stream', 'sync'];

/** Members that do not apply are absent. */
function describeCommand({ path, command }: NamedCommand): JsonObject {
  const flags = visibleOptions(command);
  const options = Object.fromEntries(flags);
  return {
    command: path.join(' '),
    summary: command.summary,
    ...(command.details === undefined ? {} : { details: command.details }),
    writes: command.writes,
    changesMachine: command.changesMachine,
    destroys: command.destroys,
    asks: 'yes' in options,
    costs: command.costs,
    waits: command.waits,
    exitCodes: [...exitsOf(command)],
    ...(command.exitsAsProgram ? { exitCodeOfProgram: true } : {}),
    waitsWith: WAITING_FLAGS.filter((key) => key in options).map(flagName),
    ...(command.needed.length === 0 ? {} : { needsOneOf: command.needed.map((group) => group.map(flagName)) }),
    arguments: Object.entries(command.args).map(([key, param]) => ({
      name: argumentName(key, param),
      ...(param.afterDashes === true ? { afterDashes: true } : {}),
      ...describeParam(param, options),
    })),
    ...(namesProgram(command.args) ? { flagsFirst: true } : {}),
    flags: flags.map(([key, param]) => ({
      flag: flagName(key),
      ...(param.short === undefined ? {} : { short: param.short }),
      ...describeParam(param, options),
    })),
    ...(printedSchema(command) === undefined ? {} : { schema: `berth schema ${schemaNameOf(path)}` }),
    ...(command.fields === undefined ? {} : { fields: [...command.fields] }),
    examples: command.examples.map(([line, meaning]) => ({ command: line, meaning })),
  };
}

function describeParam(param: Param<unknown>, options: Params): JsonObject {
  const { choices, initial, initialText, needs, unless, complete } = param;
  const isShown = typeof initial === 'string' || typeof initial === 'number';
  const fallback = initialText ?? (isShown ? initial : undefined);
  return {
    summary: param.summary,
    type: typeOf(param),
    required: param.required && unless === undefined,
    repeatable: param.many,
    ...(param.commas === true ? { commas: true } : {}),
    ...(choices === undefined ? {} : { choices: [...choices] }),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(needs === undefined ? {} : { onlyWithOneOf: needs.map(flagName) }),
    ...(unless === undefined ? {} : { requiredUnlessOneOf: unless.filter((key) => key in options).map(flagName) }),
    ...(complete === 'job' ? { valuesFrom: 'berth jobs run ENDPOINT --input {}' } : {}),
    ...(typeof complete === 'object'
      ? { valuesFrom: printed(berth`${listCommand(complete)} -o id`, { accountWords: NO_WORDS }) }
      : {}),
  };
}

const TEXT_TYPES: Readonly<Record<string, string>> = {
  JSON: 'json',
  FILE: 'path',
  PATH: 'path',
  URL: 'url',
};

function typeOf({ kind, metavar, format, choices, complete }: Param<unknown>): string {
  if (kind === 'flag' && metavar === undefined) return 'switch';
  if (format !== undefined) return format;
  if (choices !== undefined) return 'choice';
  return TEXT_TYPES[metavar ?? ''] ?? (complete === 'file' ? 'path' : 'text');
}

export const descriptionView: View = {
  noun: ['description', 'descriptions'],
  id: () => 'berth',
  columns: [],
};

export const describeProgram = (program: Program, commands: readonly NamedCommand[]): JsonObject => ({
  usage: 'berth [FLAGS] NOUN VERB [ARGUMENTS] [FLAGS]',
  nouns: program.nouns.map(({ name, section, summary }) => ({ noun: name, section, summary })),
  globalFlags: program.flags.map(describeGlobalFlag),
  exitCodes: EXIT_CODES.map(({ code, name, meaning }) => ({
    code,
    name,
    meaning,
    common: COMMON_EXITS.includes(code),
  })),
  settings: SETTINGS.map(describeSetting),
  variables: OTHER_VARIABLES.map(({ variable, summary }) => ({ variable, summary })),
  commands: commands.map(describeCommand),
});

function describeGlobalFlag({ name, flag, short, metavar, choices, summary }: GlobalFlag): JsonObject {
  const variable = findSetting(name)?.variable;
  return {
    flag,
    ...(short === undefined ? {} : { short }),
    summary,
    type: metavar === undefined ? 'switch' : choices === undefined ? 'text' : 'choice',
    ...(choices === undefined ? {} : { choices: [...choices] }),
    ...(variable === undefined ? {} : { variable }),
  };
}

function describeSetting({ name, flag, variable, secret, inProfile, summary, ...setting }: Setting): JsonObject {
  return {
    name,
    summary,
    type: setting.kind,
    ...(flag === undefined ? {} : { flag }),
    ...(variable === undefined ? {} : { variable }),
    ...(setting.default === undefined ? {} : { default: setting.default }),
    ...(setting.kind === 'choice' ? { choices: [...setting.choices] } : {}),
    secret,
    inProfile,
  };
}

const ROWS = manyOf(ANY_OBJECT);

/** What `help --json` prints. */
export const DESCRIPTION = ownObject({
  usage: TEXT,
  nouns: ROWS,
  globalFlags: ROWS,
  exitCodes: ROWS,
  settings: ROWS,
  variables: ROWS,
  commands: ROWS,
});
