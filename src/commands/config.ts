import { usage } from '../core/failure.ts';
import type { Json } from '../core/json.ts';
import { defineCommand, defineGroup } from '../cli/command.ts';
import type { CommandContext } from '../cli/context.ts';
import { arg, type Param } from '../cli/parse/params.ts';
import { text } from '../output/layout/cells.ts';
import type { View } from '../output/view.ts';
import { SETTINGS, type Setting } from '../settings/table.ts';

const settingView: View = {
  noun: ['setting', 'settings'],
  id: (row) => text('name')(row),
  columns: [
    { header: 'NAME', show: text('name') },
    { header: 'VALUE', show: text('value') },
    { header: 'SOURCE', show: text('source') },
    { header: 'FLAG', show: text('flag'), wide: true },
    { header: 'VARIABLE', show: text('variable'), wide: true },
    { header: 'MEANING', show: text('summary'), wide: true },
  ],
};

const kept = SETTINGS.filter((setting: Setting) => setting.inProfile && !setting.secret).map((setting) => setting.name);

/** The argument for the name of a setting. For the key, the failure names the commands that handle it. */
function settingName(choices: readonly string[]): Param<string> {
  const param = arg.text('setting', { choices });
  return {
    ...param,
    parse: (text, label) => {
      if (text === 'api-key')
        throw usage(
          'the key is no setting to be shown or set here',
          'See it: berth auth status. Set it: berth auth login',
        );
      return param.parse(text, label);
    },
  };
}

const list = defineCommand({
  summary: 'list every setting, its value and where it comes from',
  examples: [
    ['berth config list', 'those in use now'],
    ['berth config list -o wide', 'with the flag and the variable of each'],
  ],
  run: async (ctx) => ({
    kind: 'many',
    view: settingView,
    values: await Promise.all(SETTINGS.map((setting) => settingRow(ctx, setting))),
  }),
});

async function settingRow(ctx: CommandContext, setting: Setting): Promise<Json> {
  const { name, flag, variable, summary } = setting;
  if (!setting.secret)
    return {
      name,
      value: ctx.settings.text(name) ?? null,
      source: ctx.settings.source(name) ?? null,
      flag: flag ?? null,
      variable: variable ?? null,
      summary,
    };
  const key = ctx.settings.local ? undefined : await ctx.settings.key();
  return {
    name,
    value: key === undefined ? null : `ends in ${key.tail}`,
    source: key?.source ?? null,
    flag: null,
    variable: variable ?? null,
    summary,
  };
}

const get = defineCommand({
  summary: 'print one value',
  examples: [['berth config get timeout', 'the value alone']],
  args: {
    name: settingName(SETTINGS.filter((setting: Setting) => !setting.secret).map((setting) => setting.name)),
  },
  run: (ctx, { name }) => {
    const value = ctx.settings.text(name);
    return Promise.resolve({
      kind: 'text',
      text: value === undefined ? '' : `${value}\n`,
      ...(value === undefined ? { notes: [`${name} is not set.`] } : {}),
    });
  },
});

const set = defineCommand({
  summary: 'keep a value in the profile in use',
  examples: [
    ['berth config set timeout 60s', 'for every command of this profile'],
    ['berth config set output json --profile ci', 'for another profile'],
  ],
  details: 'The key is not set here: see `berth auth login`.',
  args: { name: settingName(kept), value: arg.text('its value') },
  run: async (ctx, { name, value }) => {
    refuseLocal(ctx);
    await ctx.profiles.set(ctx.settings.profile, name, value);
    return { kind: 'nothing', notes: [`${name} is ${value} in profile ${ctx.settings.profile}.`] };
  },
});

const unset = defineCommand({
  summary: 'forget a value of the profile in use',
  examples: [['berth config unset timeout', 'its default is used again']],
  args: { name: settingName(kept) },
  run: async (ctx, { name }) => {
    refuseLocal(ctx);
    await ctx.profiles.set(ctx.settings.profile, name, undefined);
    return { kind: 'nothing', notes: [`${name} is unset now in profile ${ctx.settings.profile}.`] };
  },
});

function refuseLocal(ctx: CommandContext): void {
  if (ctx.settings.local) throw usage('the local service has no settings of its own', 'Name a profile with --profile.');
}

const path = defineCommand({
  summary: 'print where the profiles are kept',
  examples: [['berth config path', 'one file, mode 0600']],
  run: (ctx) => Promise.resolve({ kind: 'text', text: `${ctx.profiles.path}\n` }),
});

export const config = defineGroup('settings, and where each value comes from', { list, get, set, unset, path });
