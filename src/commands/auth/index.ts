import { EXIT } from '../../core/exit-codes.ts';
import { usage } from '../../core/failure.ts';
import { berth, sentence } from '../../core/message.ts';
import { defineCommand, defineGroup } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { manyOf, oneOf, ownObject, TEXT } from '../../cli/model/output-schema.ts';
import { arg, option } from '../../cli/model/params.ts';
import { changeResult, otherMembers, textColumn } from '../../cli/resource/fields.ts';
import { text, yesNo } from '../../output/cells.ts';
import type { View } from '../../output/view.ts';
import { noProfile } from '../../settings/read-profiles.ts';
import { ADDRESSES, checkKey, isTyped, login, PROFILE, profileRow, shownKey } from './login.ts';

const profileView: View = {
  noun: ['profile', 'profiles'],
  id: (row) => text(row, 'profile'),
  members: ['profile', 'current', 'key', ...ADDRESSES],
  columns: [
    textColumn('profile'),
    { header: 'CURRENT', show: (row) => yesNo(row, 'current') },
    textColumn('key'),
    { header: 'BASE URL', show: (row) => text(row, 'base-url') },
    { header: 'QUEUE URL', show: (row) => text(row, 'queue-url'), wide: true },
    { header: 'REST URL', show: (row) => text(row, 'rest-url'), wide: true },
  ],
};

const statusView: View = {
  ...profileView,
  members: ['profile', 'key', 'from', ...ADDRESSES],
  columns: [],
  detail: (row) => [{ lines: otherMembers(row, []) }],
};

/** Usage (2) for a profile that is not there. */
async function requireNamedProfile({ settings, profiles }: CommandContext): Promise<void> {
  if (settings.local || !isTyped(settings, 'profile')) return;
  const names = (await profiles.list()).map(({ name }) => name);
  if (!names.includes(settings.profile)) throw noProfile(settings.profile, names, settings.profilesPath);
}

const logout = defineCommand({
  output: () => ownObject({ profile: TEXT, forgot: oneOf('key', 'profile', 'nothing') }),
  summary: "forget the profile's key",
  changesMachine: true,
  examples: [
    ['berth auth logout --profile staging', 'the addresses of the profile stay'],
    ['berth auth logout --profile staging --forget', 'a whole profile'],
  ],
  options: {
    forget: option.on('forget the whole profile, addresses too'),
    storage: option.on('forget the storage key only'),
  },
  run: async (ctx, { forget, storage }) => {
    if (forget && storage) throw usage('use either --forget or --storage');
    await requireNamedProfile(ctx);
    const { profile } = ctx.settings;
    const hadKey = (await ctx.profiles.list()).some(({ name, keyTail }) => name === profile && keyTail !== undefined);
    if (hadKey && !forget && !storage) await ctx.profiles.setKey(profile, undefined);
    const [what, existed] = forget
      ? ['profile', await ctx.profiles.remove(profile)]
      : storage
        ? ['storage key', await ctx.profiles.setStorageKey(profile, undefined)]
        : ['key', hadKey];
    const note = existed ? `forgot the ${what} of profile ${profile}` : `profile ${profile} had no ${what}`;
    return changeResult(ctx, { profile, forgot: existed ? (forget ? 'profile' : 'key') : 'nothing' }, [note]);
  },
});

const status = defineCommand({
  output: () =>
    ownObject(
      { profile: TEXT, key: TEXT },
      { from: TEXT, check: TEXT, ...Object.fromEntries(ADDRESSES.map((name) => [name, TEXT])) },
    ),
  summary: 'show which key is used and where it comes from',
  examples: [['berth auth status', 'the last four characters of the key, and its source']],
  details: 'Of the key at most the last four characters are shown. Ends 3 where there is no key.',
  options: { check: option.on('ask the service whether the key is good') },
  run: async (ctx, { check }) => {
    const { settings } = ctx;
    await requireNamedProfile(ctx);
    const key = settings.local ? undefined : await settings.key();
    if (check) await checkKey(ctx.api);
    const isMissing = key === undefined && !settings.local;
    return {
      kind: 'one',
      view: statusView,
      value: {
        profile: settings.profile,
        key: settings.local ? 'not needed' : key === undefined ? 'none' : shownKey(key.tail),
        from: settings.local ? 'local service' : key?.source,
        ...Object.fromEntries(ADDRESSES.map((name) => [name, settings.local ? undefined : settings.get(name)])),
        ...(check ? { check: 'accepted by the service' } : {}),
      },
      exit: isMissing ? EXIT.denied : undefined,
      notes: isMissing ? [sentence`Log in: ${berth`auth login`}. Or use the local service with --local.`] : [],
    };
  },
});

const list = defineCommand({
  output: () => manyOf(PROFILE),
  summary: 'list profiles',
  examples: [['berth auth list', 'with the addresses of each']],
  run: async (ctx) => ({ kind: 'many', view: profileView, values: (await ctx.profiles.list()).map(profileRow) }),
});

const switchTo = defineCommand({
  output: () => ownObject({ profile: TEXT }),
  summary: 'use another profile from now on',
  changesMachine: true,
  examples: [
    ['berth auth switch default', 'the profile of this name'],
    ['berth auth switch local', 'the local service'],
  ],
  args: { profile: arg.text('its name; `local` is the local service', { complete: 'profile' }) },
  run: async (ctx, { profile }) => {
    await ctx.profiles.use(profile);
    return changeResult(ctx, { profile }, [`Profile ${profile} is in use.`]);
  },
});

export const auth = defineGroup('log in, log out, switch between profiles', {
  login,
  logout,
  status,
  list,
  switch: switchTo,
});
