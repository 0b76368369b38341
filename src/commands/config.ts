import { shownKey } from './auth/login.ts';
import { type Command, defineCommand, defineGroup, type Group, type Program } from '../cli/model/command.ts';
import type { CommandContext } from '../cli/model/context.ts';
import { manyOf, orNull, ownObject, TEXT } from '../cli/model/output-schema.ts';
import { arg, type Param, parseValue } from '../cli/model/params.ts';
import { aliasWords } from '../cli/parse/user-aliases.ts';
import { changeResult, textColumn } from '../cli/resource/fields.ts';
import { usage } from '../core/failure.ts';
import { type JsonObject, stringAt } from '../core/json.ts';
import { berth, sentence } from '../core/message.ts';
import { text } from '../output/cells.ts';
import type { Result, View } from '../output/view.ts';
import { SETTINGS, type Setting } from '../settings/settings-table.ts';

const settingView: View = {
  noun: ['setting', 'settings'],
  id: (row) => text(row, 'name'),
  columns: [
    ...['name', 'value', 'source'].map((name) => textColumn(name)),
    ...['flag', 'variable'].map((name) => textColumn(name, { wide: true })),
    { header: 'MEANING', show: (row) => text(row, 'summary'), wide: true },
  ],
};

const namesOf = (settings: readonly Setting[]): readonly string[] => settings.map(({ name }) => name);
const KEPT = namesOf(SETTINGS.filter(({ inProfile, secret }) => inProfile && !secret));
const CHOICES = Object.fromEntries(
  SETTINGS.flatMap((setting) => (setting.kind === 'choice' ? [[setting.name, setting.choices] as const] : [])),
);

const ALIAS = 'alias.';

const aliasOf = (name: string): string | undefined => (name.startsWith(ALIAS) ? name.slice(ALIAS.length) : undefined);

/** For the key, the failure names the commands that handle it. */
function settingName(choices: readonly string[]): Param<string> {
  const param = arg.text('setting, or alias.NAME', { choices });
  return {
    ...param,
    parse: (word, label) => {
      if (word === 'api-key')
        throw usage(
          'the key is no setting to be shown or set here',
          sentence`See it: ${berth`auth status`}. Set it: ${berth`auth login`}`,
        );
      return aliasOf(word) === undefined ? parseValue(param, word, label) : word;
    },
  };
}

const SETTING = ownObject({
  name: TEXT,
  summary: TEXT,
  value: orNull(TEXT),
  source: orNull(TEXT),
  flag: orNull(TEXT),
  variable: orNull(TEXT),
});

const CHANGED_SETTING = ownObject({ name: TEXT, value: orNull(TEXT), profile: orNull(TEXT) });

const aliasRow = (name: string, value: string | undefined): JsonObject => ({
  name,
  value: value ?? null,
  source: value === undefined ? null : 'config',
  flag: null,
  variable: null,
  summary: 'an alias of yours',
});

async function settingRow({ settings }: CommandContext, setting: Setting): Promise<JsonObject> {
  const { name, flag = null, variable, summary, secret } = setting;
  const key = secret && !settings.local ? await settings.key() : undefined;
  const value = secret ? key && shownKey(key.tail) : settings.text(name);
  const source = secret ? key?.source : settings.source(name);
  return { name, value: value ?? null, source: source ?? null, flag, variable, summary };
}

const list = defineCommand({
  output: () => manyOf(SETTING),
  summary: 'list every setting, its value and where it comes from',
  examples: [
    ['berth config list', 'those in use now'],
    ['berth config list -o wide', 'with the flag and the variable of each'],
  ],
  run: async (ctx) => {
    const rows = await Promise.all(SETTINGS.map((setting) => settingRow(ctx, setting)));
    const aliases = Object.entries(await ctx.profiles.aliases());
    const values = [...rows, ...aliases.map(([name, value]) => aliasRow(ALIAS + name, value))];
    return { kind: 'many', view: settingView, values };
  },
});

const get = defineCommand({
  output: () => SETTING,
  summary: 'print one value',
  examples: [['berth config get timeout', 'the value alone']],
  args: { name: settingName(namesOf(SETTINGS.filter(({ secret }) => !secret))) },
  run: async (ctx, { name }) => {
    const setting = SETTINGS.find((each) => each.name === name);
    const aliases = new Map(Object.entries(setting === undefined ? await ctx.profiles.aliases() : {}));
    const row =
      setting === undefined ? aliasRow(name, aliases.get(aliasOf(name) ?? name)) : await settingRow(ctx, setting);
    const value = stringAt(row, 'value');
    const notes = value === undefined ? [`${name} is not set.`] : [];
    return changeResult(ctx, row, notes, value === undefined ? '' : `${value}\n`);
  },
});

/** Keeps a value or an alias, or forgets it. */
async function change(ctx: CommandContext, name: string, value: string | undefined): Promise<Result> {
  const alias = aliasOf(name);
  const { profile, local } = ctx.settings;
  if (alias === undefined && local)
    throw usage('the local service has no settings of its own', 'Name a profile with --profile.');
  if (alias === undefined) await ctx.profiles.set(profile, name, value);
  else await ctx.profiles.setAlias(alias, value);
  const where = alias === undefined ? ` in profile ${profile}` : '';
  const note = `${name} is ${value ?? 'unset now'}${where}.`;
  return changeResult(ctx, { name, value: value ?? null, profile: alias === undefined ? profile : null }, [note]);
}

const set = (program: Program): Command =>
  defineCommand({
    output: () => CHANGED_SETTING,
    summary: 'keep a value in the profile in use, or an alias',
    changesMachine: true,
    examples: [
      ['berth config set alias.busy "pods list --status RUNNING"', '`berth busy` lists them from now on'],
      ['berth config set timeout 60s', 'for every command of this profile'],
      ['berth config set output json --profile ci', 'for another profile'],
    ],
    details:
      '`berth auth login` sets the key. alias.NAME makes `berth NAME` run a command, with the words after NAME added; an alias cannot replace a command of berth.',
    args: { name: settingName(KEPT), value: { ...arg.text('its value'), choicesAfter: CHOICES } },
    run: async (ctx, { name, value }) => {
      const alias = aliasOf(name);
      const nouns = [...program.nouns.keys()];
      if (alias !== undefined) await aliasWords(alias, value, program.flags, nouns);
      return await change(ctx, name, value);
    },
  });

const unset = defineCommand({
  output: () => CHANGED_SETTING,
  summary: 'forget a value of the profile in use',
  changesMachine: true,
  examples: [
    ['berth config unset alias.busy', 'remove the alias'],
    ['berth config unset timeout', 'its default is used again'],
  ],
  args: { name: settingName(KEPT) },
  run: (ctx, { name }) => change(ctx, name, undefined),
});

export const config = (program: Program): Group =>
  defineGroup('settings, and where each value comes from', { list, get, set: set(program), unset });
