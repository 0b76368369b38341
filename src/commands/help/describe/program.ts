import type { Program } from '../../../cli/model/command.ts';
import type { GlobalFlag } from '../../../cli/model/global-flags.ts';
import { COMMON_EXITS } from '../../../cli/model/exits.ts';
import { EXIT_CODES } from '../../../core/exit-codes.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { View } from '../../../output/view.ts';
import { findSetting, OTHER_VARIABLES, SETTINGS, type Setting } from '../../../settings/settings-table.ts';
import { describeCommand, type NamedCommand } from './commands.ts';

/** How `berth help --json` is shown in formats other than JSON. */
export const descriptionView: View = {
  noun: ['description', 'descriptions'],
  id: () => 'berth',
  columns: [],
};

/** Describes commands, and what holds for all of them: global flags, exit codes, settings and variables. */
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
