import { version } from '../../../package.json';
import { signature } from '../../cli/help.ts';
import { listCommand } from '../../cli/hint.ts';
import { exitsOf, type NamedCommand, type Program, visibleOptions } from '../../cli/model/command.ts';
import { ANY_OBJECT, manyOf, ownObject, printedSchema, schemaNameOf, TEXT } from '../../cli/model/output-schema.ts';
import { argumentName, flagName, namesProgram, type Param, type Params } from '../../cli/model/params.ts';
import { EXIT_CODES } from '../../core/exit-codes.ts';
import type { JsonObject } from '../../core/json.ts';
import { berth, NO_WORDS, printed } from '../../core/message.ts';
import type { View } from '../../output/view.ts';
import { findSetting, type Setting, SETTINGS } from '../../settings/settings-table.ts';
import { OTHER_VARIABLES } from './topics.ts';

const WAITING_FLAGS = ['wait', 'follow', 'watch', 'stream', 'sync'];

/** Members that do not apply are undefined: they are not printed. */
function describeCommand({ path, command }: NamedCommand): JsonObject {
  const flags = visibleOptions(command);
  const options = Object.fromEntries(flags);
  const { summary, details, needed, fields } = command;
  const { writes = false, changesMachine = false, destroys = false, costs = false, waits = false } = command;
  return {
    command: path.join(' '),
    summary,
    details,
    writes,
    changesMachine,
    destroys,
    asks: 'yes' in options,
    costs,
    waits,
    exitCodes: [...exitsOf(command)],
    exitCodeOfProgram: command.exitsAsProgram,
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
    commas,
    choices,
    default: initialText ?? (isShown ? initial : undefined),
    onlyWithOneOf: needs?.map(flagName),
    requiredUnlessOneOf: (param.required ? unless : undefined)?.filter((key) => key in options).map(flagName),
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
  nouns: Array.from(program.nouns.values(), ({ name, section, summary }) => ({ noun: name, section, summary })),
  globalFlags: Object.entries(program.flags).map(([key, flag]) => describeGlobalFlag(key, flag)),
  exitCodes: EXIT_CODES.map(({ code, name, meaning, ...row }) => ({ code, name, meaning, common: !('own' in row) })),
  settings: SETTINGS.map(describeSetting),
  variables: OTHER_VARIABLES.map(({ variable, summary }) => ({ variable, summary })),
  commands: commands.map(describeCommand),
});

const describeGlobalFlag = (key: string, { short, metavar, choices, summary }: Param<unknown>): JsonObject => ({
  flag: flagName(key),
  short,
  summary,
  type: metavar === undefined ? 'switch' : choices === undefined ? 'text' : 'choice',
  choices,
  variable: findSetting(key)?.variable,
});

const describeSetting = ({ name, flag, variable, secret, inProfile, summary, ...setting }: Setting): JsonObject => ({
  name,
  summary,
  type: setting.kind,
  flag,
  variable,
  default: setting.default,
  choices: setting.kind === 'choice' ? setting.choices : undefined,
  secret,
  inProfile,
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

const RULES = `---
name: berth
description: >-
  The command line of a GPU cloud. Use it to create, find, stop and explain GPU pods, serverless endpoints and their jobs,
  batches, network volumes and files, to see what they cost, and to rehearse all of it on a local service at no cost.
version: ${version}
---

# berth for a coding agent

The command line of a GPU cloud: pods, serverless endpoints and their jobs, network volumes.

## Rules
- Try everything on the local service first; it needs no account and costs nothing: add --local to a command. Its state
  stays until \`berth local reset\`. A test has its own with \`berth local exec -- COMMAND\`,
  of which nothing is kept.
- Add --json to every command whose output you read: stdout is data alone, messages go to stderr. An error is one JSON
  object on the last line of stderr: {"error":{"code","message","hint",...}}. Do what its hint says.
- Look at the exit code, not at the text. \`run\`, \`pods exec\` and \`pods ssh\` end with that of their command.
- Before a write: --dry-run prints the request and changes nothing. What destroys needs --yes without a terminal.
- After exit 8 a write may have happened: run the command of the hint before you send it again.
- Where an id is expected, a unique name works too. Never put a key on a command line; use BERTH_API_KEY.
- BERTH_ACCESS=read refuses everything that writes, =write everything that destroys (exit 3). BERTH_NO_INPUT=1 never asks.
- --fields a,b.c picks members; --jq EXPR filters (built in); -o id prints ids alone.
- Durations: 90s, 5m, 1h30m. \`--wait\` ends 9 after 10m.
- Pods, clusters, endpoints with workers and volumes cost money until they are stopped or deleted.
- One command in full: \`berth help NOUN VERB --json\`. Everything: \`berth help --json\`.

## First
- \`berth pods list\`, \`pods create\`, \`pods wait\`, \`pods exec\`, \`pods stop\`, \`pods terminate\`: a machine with a GPU.
- \`berth run -- COMMAND\`: one command on a GPU; its pod is gone at the end.
- \`berth jobs run --wait\`, \`jobs batch run\`: one job of an endpoint, or a file of them.
- \`berth pods explain\`, \`jobs explain\`: why something does not work. \`berth account balance\`: what is left.
- Rehearse first: the same lines with --local.

## Exit codes
`;

const COMMANDS = `
## Commands
W writes, D destroys and needs --yes, M changes files or processes here, $ may cost money; ! after a flag: required.  Flags of every command are left out.
`;

const EXPLAINED = new Set(['dryRun', 'yes', 'interval', 'waitTimeout', 'notify']);

export function agentText(commands: readonly NamedCommand[]): string {
  const codes = EXIT_CODES.map(({ code, meaning }) => `${String(code)} ${meaning}`).join('; ');
  return `${RULES}${codes}.\n${COMMANDS}${commandLines(commands).join('\n')}\n`;
}

const commandLines = (commands: readonly NamedCommand[]): readonly string[] =>
  commands.map(({ path, command }) => {
    const flags = visibleOptions(command).filter(([key]) => !EXPLAINED.has(key));
    const named = flags.map(([key, { required }]) => flagName(key) + (required ? '!' : ''));
    return [signature(path, command), ...marksOf(command), ...named].join(' ');
  });

/** `[WD]`; nothing for a command that only reads. */
function marksOf({ writes, destroys, changesMachine, costs }: NamedCommand['command']): readonly string[] {
  const marks = [writes && 'W', destroys && 'D', changesMachine && 'M', costs && '$'].filter(
    (mark) => typeof mark === 'string',
  );
  return marks.length === 0 ? [] : [`[${marks.join('')}]`];
}
