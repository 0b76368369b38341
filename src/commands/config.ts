import { usage } from '../core/failure.ts';
import { type Json, type JsonObject, stringAt } from '../core/json.ts';
import { berth, sentence } from '../core/message.ts';
import { type Command, defineCommand, defineGroup, type Group, type Program } from '../cli/model/command.ts';
import type { CommandContext } from '../cli/model/context.ts';
import { arg, type Param } from '../cli/model/params.ts';
import { aliasWords } from '../cli/parse/user-aliases.ts';
import { text } from '../output/cells.ts';
import type { View } from '../output/view.ts';
import { SETTINGS, type Setting } from '../settings/settings-table.ts';
import { changeResult, textResult } from '../cli/resource/change-result.ts';
import { textColumn } from '../cli/resource/fields.ts';
import { manyOf, orNull, ownObject, TEXT } from '../cli/model/output-schema.ts';

const settingView: View = {
  noun: ['setting', 'settings'],
  id: text('name'),
  columns: [
    textColumn('name'),
    textColumn('value'),
    textColumn('source'),
    textColumn('flag', { wide: true }),
    textColumn('variable', { wide: true }),
    { header: 'MEANING', show: text('summary'), wide: true },
  ],
};

const kept = SETTINGS.filter((setting: Setting) => setting.inProfile && !setting.secret).map((setting) => setting.name);

const CHOICES = Object.fromEntries(
  SETTINGS.flatMap((setting: Setting) => (setting.kind === 'choice' ? [[setting.name, setting.choices] as const] : [])),
);

const ALIAS = 'alias.';

const aliasOf = (name: string): string | undefined => (name.startsWith(ALIAS) ? name.slice(ALIAS.length) : undefined);

/** For the key, the failure names the commands that handle it. */
function settingName(choices: readonly string[]): Param<string> {
  const param = arg.text('setting, or alias.NAME', { choices });
  return {
    ...param,
    parse: (text, label) => {
      if (text === 'api-key')
        throw usage(
          'the key is no setting to be shown or set here',
          sentence`See it: ${berth`auth status`}. Set it: ${berth`auth login`}`,
        );
      return aliasOf(text) === undefined ? param.parse(text, label) : text;
    },
  };
}

const SETTING = ownObject({
  name: TEXT,
  value: orNull(TEXT),
  source: orNull(TEXT),
  flag: orNull(TEXT),
  variable: orNull(TEXT),
  summary: TEXT,
});

const CHANGED_SETTING = ownObject({ name: TEXT, value: orNull(TEXT), profile: orNull(TEXT) });

const list = defineCommand({
  output: manyOf(SETTING),
  summary: 'list every setting, its value and where it comes from',
  examples: [
    ['berth config list', 'those in use now'],
    ['berth config list -o wide', 'with the flag and the variable of each'],
  ],
  run: async (ctx) => ({
    kind: 'many',
    view: settingView,
    values: [...(await Promise.all(SETTINGS.map((setting) => settingRow(ctx, setting)))), ...(await aliasRows(ctx))],
  }),
});

const aliasRows = async ({ profiles }: CommandContext): Promise<readonly Json[]> =>
  Object.entries(await profiles.aliases()).map(([name, value]) => aliasRow(ALIAS + name, value));

const aliasRow = (name: string, value: string | undefined): JsonObject => ({
  name,
  value: value ?? null,
  source: value === undefined ? null : 'config',
  flag: null,
  variable: null,
  summary: 'an alias of yours',
});

async function settingRow(ctx: CommandContext, setting: Setting): Promise<JsonObject> {
  const { name, flag, variable, summary } = setting;
  const { settings } = ctx;
  const shown = { flag: flag ?? null, variable: variable ?? null, summary };
  if (!setting.secret)
    return { name, value: settings.text(name) ?? null, source: settings.source(name) ?? null, ...shown };
  const key = settings.local ? undefined : await settings.key();
  return { name, value: key === undefined ? null : `ends in ${key.tail}`, source: key?.source ?? null, ...shown };
}

async function readAlias({ profiles }: CommandContext, name: string): Promise<string | undefined> {
  const aliases = await profiles.aliases();
  return Object.hasOwn(aliases, name) ? aliases[name] : undefined;
}

const get = defineCommand({
  output: SETTING,
  summary: 'print one value',
  examples: [['berth config get timeout', 'the value alone']],
  args: {
    name: settingName(SETTINGS.filter((setting: Setting) => !setting.secret).map((setting) => setting.name)),
  },
  run: async (ctx, { name }) => {
    const alias = aliasOf(name);
    const setting = SETTINGS.find((each) => each.name === name);
    const row =
      setting === undefined ? aliasRow(name, await readAlias(ctx, alias ?? name)) : await settingRow(ctx, setting);
    const value = stringAt(row, 'value');
    const notes = value === undefined ? [`${name} is not set.`] : [];
    return textResult(ctx, row, value === undefined ? '' : `${value}\n`, notes);
  },
});

const set = (program: Program): Command =>
  defineCommand({
    output: CHANGED_SETTING,
    summary: 'keep a value in the profile in use, or an alias',
    changesMachine: true,
    examples: [
      ['berth config set alias.busy "pods list --status RUNNING"', '`berth busy` lists them from now on'],
      ['berth config set timeout 60s', 'for every command of this profile'],
      ['berth config set output json --profile ci', 'for another profile'],
    ],
    details:
      '`berth auth login` sets the key. alias.NAME makes `berth NAME` run a command, with the words after NAME added; an alias cannot replace a command of berth.',
    args: { name: settingName(kept), value: { ...arg.text('its value'), choicesAfter: CHOICES } },
    run: async (ctx, { name, value }) => {
      const alias = aliasOf(name);
      if (alias !== undefined) {
        await aliasWords(
          alias,
          value,
          program.flags,
          program.nouns.map((noun) => noun.name),
        );
        await ctx.profiles.setAlias(alias, value);
        return changeResult(ctx, { name, value, profile: null }, [`The alias ${alias} stands for: ${value}`]);
      }
      refuseLocal(ctx);
      const { profile } = ctx.settings;
      const isNew = (await ctx.profiles.list()).every((other) => other.name !== profile);
      await ctx.profiles.set(profile, name, value);
      const note = `${name} is ${value} in profile ${profile}${isNew ? ', which is new' : ''}.`;
      return changeResult(ctx, { name, value, profile }, [note]);
    },
  });

const unset = defineCommand({
  output: CHANGED_SETTING,
  summary: 'forget a value of the profile in use',
  changesMachine: true,
  examples: [
    ['berth config unset alias.busy', 'remove the alias'],
    ['berth config unset timeout', 'its default is used again'],
  ],
  args: { name: settingName(kept) },
  run: async (ctx, { name }) => {
    const alias = aliasOf(name);
    if (alias !== undefined) {
      await ctx.profiles.setAlias(alias, undefined);
      return changeResult(ctx, { name, value: null, profile: null }, [`${name} is unset now.`]);
    }
    refuseLocal(ctx);
    const { profile } = ctx.settings;
    await ctx.profiles.set(profile, name, undefined);
    return changeResult(ctx, { name, value: null, profile }, [`${name} is unset now in profile ${profile}.`]);
  },
});

function refuseLocal(ctx: CommandContext): void {
  if (ctx.settings.local) throw usage('the local service has no settings of its own', 'Name a profile with --profile.');
}

export const config = (program: Program): Group =>
  defineGroup('settings, and where each value comes from', { list, get, set: set(program), unset });
