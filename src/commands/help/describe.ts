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

/** Members that do not apply are undefined: they are not printed. */
function describeCommand({ path, command }: NamedCommand): JsonObject {
  const flags = visibleOptions(command);
  const options = Object.fromEntries(flags);
  const { summary, details, writes, changesMachine, destroys, costs, waits, needed, fields } = command;
  return {
    command: path.join(' '),
    ...{ summary, details, writes, changesMachine, destroys },
    asks: 'yes' in options,
    ...{ costs, waits },
    exitCodes: [...exitsOf(command)],
    exitCodeOfProgram: command.exitsAsProgram ? true : undefined,
    waitsWith: WAITING_FLAGS.filter((key) => key in options).map(flagName),
    needsOneOf: needed.length === 0 ? undefined : needed.map((group) => group.map(flagName)),
    arguments: Object.entries(command.args).map(([key, param]) => ({
      name: argumentName(key, param),
      afterDashes: param.afterDashes,
      ...describeParam(param, options),
    })),
    flagsFirst: namesProgram(command.args) ? true : undefined,
    flags: flags.map(([key, param]) => ({
      flag: flagName(key),
      short: param.short,
      ...describeParam(param, options),
    })),
    schema: printedSchema(command) && `berth schema ${schemaNameOf(path)}`,
    fields,
    examples: command.examples.map(([line, meaning]) => ({ command: line, meaning })),
  };
}

function describeParam(param: Param<unknown>, options: Params): JsonObject {
  const { summary, choices, commas, initial, initialText, needs, unless, complete } = param;
  const isShown = typeof initial === 'string' || typeof initial === 'number';
  const list = typeof complete === 'object' ? berth`${listCommand(complete)} -o id` : undefined;
  return {
    summary,
    type: typeOf(param),
    required: param.required && unless === undefined,
    repeatable: param.many,
    ...{ commas, choices },
    default: initialText ?? (isShown ? initial : undefined),
    onlyWithOneOf: needs?.map(flagName),
    requiredUnlessOneOf: unless?.filter((key) => key in options).map(flagName),
    valuesFrom:
      complete === 'job' ? 'berth jobs run ENDPOINT --input {}' : list && printed(list, { accountWords: NO_WORDS }),
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

const describeGlobalFlag = ({ name, flag, short, metavar, choices, summary }: GlobalFlag): JsonObject => ({
  ...{ flag, short, summary },
  type: metavar === undefined ? 'switch' : choices === undefined ? 'text' : 'choice',
  choices,
  variable: findSetting(name)?.variable,
});

const describeSetting = ({ name, flag, variable, secret, inProfile, summary, ...setting }: Setting): JsonObject => ({
  ...{ name, summary },
  type: setting.kind,
  ...{ flag, variable },
  default: setting.default,
  choices: setting.kind === 'choice' ? setting.choices : undefined,
  ...{ secret, inProfile },
});

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
