import type { Command, Group, Program } from '../../../cli/model/command.ts';
import { visibleOptions } from '../../../cli/model/common-options.ts';
import { exitsOf } from '../../../cli/model/exits.ts';
import { argumentName, flagName, namesProgram, type Param, type Params } from '../../../cli/model/params.ts';
import { printedSchema, schemaNameOf } from '../../../cli/model/common-schemas.ts';
import { listCommandOf } from '../../../cli/model/collection.ts';
import type { JsonObject } from '../../../core/json.ts';
import { berth, NO_WORDS, printed } from '../../../core/message.ts';

/** A command and its words, such as `pods get`. */
export interface NamedCommand {
  readonly path: readonly string[];
  readonly command: Command;
}

/** All commands of a program, in the order of help. Loads the module of every noun. */
export async function commandsOf(program: Program): Promise<readonly NamedCommand[]> {
  const loaded = await Promise.all(program.nouns.map(async (noun) => ({ noun, target: await noun.load(program) })));
  return loaded.flatMap(({ noun, target }) => commandsIn([noun.name], target));
}

/** A command, or all commands of a group. `path` are the words before them. */
export function commandsIn(path: readonly string[], target: Command | Group): readonly NamedCommand[] {
  if (target.kind === 'command') return [{ path, command: target }];
  return Object.entries(target.commands).flatMap(([verb, inner]) => commandsIn([...path, verb], inner));
}

/** Keys of flags with which a command waits. */
const WAITING_FLAGS = ['wait', 'follow', 'watch', 'stream', 'sync'];

/** Describes a command: what it takes, what it does, and its examples. Members that do not apply are absent. */
export function describeCommand({ path, command }: NamedCommand): JsonObject {
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
      ? { valuesFrom: printed(berth`${listCommandOf(complete)} -o id`, { accountWords: NO_WORDS }) }
      : {}),
  };
}

/** Placeholders of help that say what a text must be. */
const TEXT_TYPES: Readonly<Record<string, string>> = {
  JSON: 'json',
  FILE: 'path',
  PATH: 'path',
  URL: 'url',
};

/** `switch` for a flag without a value; else `integer`, `number`, `duration`, `json`, `path`, `url`, `choice` or `text`. */
function typeOf({ kind, metavar, format, choices, complete }: Param<unknown>): string {
  if (kind === 'flag' && metavar === undefined) return 'switch';
  if (format !== undefined) return format;
  if (choices !== undefined) return 'choice';
  return TEXT_TYPES[metavar ?? ''] ?? (complete === 'file' ? 'path' : 'text');
}
