import { parseKeyAddress } from '../core/addresses.ts';
import { readRequest, type Api } from '../core/api.ts';
import { EXIT } from '../core/exit-codes.ts';
import { Failure, messageOf, rethrowUnlessFailure, unlessFailed, usage } from '../core/failure.ts';
import { type Json, type JsonObject, stringAt } from '../core/json.ts';
import { berth, sentence } from '../core/message.ts';
import { defineCommand, defineGroup } from '../cli/model/command.ts';
import type { CommandContext } from '../cli/model/context.ts';
import type { Profile } from '../core/context.ts';
import { arg, option } from '../cli/model/params.ts';
import { text, yesNo } from '../output/cells.ts';
import { cleanKey } from '../settings/keys.ts';
import { noProfile } from '../settings/read-profiles.ts';
import { changeResult } from '../cli/resource/change-result.ts';
import { otherMembers, textColumn } from '../cli/resource/fields.ts';
import type { View } from '../output/view.ts';
import { either, manyOf, oneOf, orNull, ownObject, TEXT, YES_NO } from '../cli/model/output-schema.ts';
import { readAccount } from './account/index.ts';
import { loginStorage, logoutStorage, STORAGE_LOGIN } from './auth-storage.ts';
import { KEY_VARIABLES, SETTINGS } from '../settings/settings-table.ts';

const ADDRESSES = ['base-url', 'queue-url', 'rest-url'] as const;

const profileView: View = {
  noun: ['profile', 'profiles'],
  id: text('profile'),
  members: ['profile', 'current', 'key', 'base-url', 'queue-url', 'rest-url'],
  columns: [
    textColumn('profile'),
    { header: 'CURRENT', show: yesNo('current') },
    textColumn('key'),
    { header: 'BASE URL', show: text('base-url') },
    { header: 'QUEUE URL', show: text('queue-url'), wide: true },
    { header: 'REST URL', show: text('rest-url'), wide: true },
  ],
};

const statusView: View = { ...profileView, columns: [], detail: (row) => [{ lines: otherMembers(row, []) }] };

const PROFILE = ownObject(
  { profile: TEXT, current: YES_NO, key: orNull(TEXT) },
  Object.fromEntries(SETTINGS.flatMap(({ name, inProfile }) => (inProfile ? [[name, TEXT]] : []))),
);

/** Nothing of a short key, whose tail is empty. */
const shownKey = (tail: string): string => (tail === '' ? 'too short to show a part of it' : `ends in ${tail}`);

const profileRow = ({ name, current, keyTail, values }: Profile): JsonObject => ({
  profile: name,
  current,
  key: keyTail === undefined ? null : shownKey(keyTail),
  ...values,
});

const login = defineCommand({
  output: either(PROFILE, STORAGE_LOGIN),
  summary: 'keep a key and addresses in a profile, and use it',
  changesMachine: true,
  details:
    'The key is checked first; --base-url, --queue-url and --rest-url are kept with it. --storage keeps the key of the files on volumes, unchecked: with --with-key, access key and secret are two lines of stdin.',
  options: {
    withKey: option.on('read the key from stdin'),
    noCheck: option.on('keep the key without asking the service whether it is good'),
    storage: option.on('keep the storage key, for files on volumes'),
  },
  examples: [
    ['berth auth login --with-key --no-check --base-url https://api.example.com < key.txt', 'without questions'],
    ['berth auth login --with-key --no-check < key.txt', 'without network: the key is not checked'],
    ['berth auth login --storage --with-key < storage-key.txt', 'the key of the files on volumes'],
  ],
  run: async (ctx, { withKey, noCheck, storage }) => {
    const { profile, local } = ctx.settings;
    if (local) throw usage('the local service needs no login', 'Name a profile of your own with --profile.');
    if (storage) return await loginStorage(ctx, withKey);
    const addresses = givenAddresses(ctx);
    const base = ctx.settings.get('base-url') ?? (await askBase(ctx, withKey));
    const given = withKey ? new TextDecoder().decode(await ctx.files.read('-')) : await askKey(ctx);
    const key = cleanKey(given, 'the input');
    if (!noCheck) await checkLogin(ctx, base, key);
    // Written together: a key must never be kept with the addresses of another login.
    const kept = ctx.settings.source('base-url') === 'profile' ? addresses : { ...addresses, 'base-url': base };
    await ctx.profiles.logIn(profile, kept, key);
    const listed = (await ctx.profiles.list()).find((each) => each.name === profile);
    const saved = listed ?? { name: profile, current: true, keyTail: undefined, values: {} };
    const tail = saved.keyTail ?? '';
    const [variable] = setKeyVariables(ctx);
    const notes = [
      `Profile ${profile} is in use${tail === '' ? '' : `, with a key that ends in ${tail}`}.`,
      ...(variable === undefined ? [] : [`${variable} is set and used first: unset it, or pass --profile ${profile}.`]),
    ];
    return changeResult(ctx, profileRow(saved), notes);
  },
});

const setKeyVariables = ({ env }: CommandContext): readonly string[] =>
  KEY_VARIABLES.filter((name) => (env[name] ?? '') !== '');

async function askKey(ctx: CommandContext): Promise<string> {
  if (!ctx.terminal.canAsk)
    throw usage(
      'missing --with-key: there is no terminal to ask for the key on',
      sentence`Pipe it in: ${berth`auth login --with-key`} < key.txt`,
    );
  return await ctx.prompts.secret('API key');
}

/** Usage (2) for an address that the key must not be sent to. */
const givenAddresses = ({ settings }: CommandContext): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ADDRESSES.flatMap((name) => {
      const [value, source] = [settings.get(name), settings.source(name)];
      if (value === undefined || (source !== 'flag' && source !== 'environment')) return [];
      parseKeyAddress(value, name);
      return [[name, value]];
    }),
  );

/** The only question before the key, which is typed without echo. */
async function askBase(ctx: CommandContext, withKey: boolean): Promise<string> {
  if (!ctx.terminal.canAsk)
    throw usage(
      `missing --base-url${withKey ? '' : ' and --with-key'}: there is no terminal to ask on`,
      sentence`Give the address of your service, and pipe the key in: ${berth`auth login --with-key --base-url https://...`} < key.txt`,
    );
  const answer = await ctx.prompts.text('Address of the management API', { check: invalidAddress });
  return answer.trim();
}

function invalidAddress(address: string): string | undefined {
  try {
    parseKeyAddress(address.trim(), 'the address');
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

const logout = defineCommand({
  output: ownObject({ profile: TEXT, forgot: oneOf('key', 'profile', 'nothing') }),
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
    if (storage) return await logoutStorage(ctx);
    const { profile } = ctx.settings;
    const existed = forget ? await ctx.profiles.remove(profile) : await forgetKey(ctx, profile);
    const note = existed
      ? `Profile ${profile} ${forget ? 'is forgotten' : 'has no key now'}.`
      : `Profile ${profile} had nothing to forget.`;
    return changeResult(ctx, { profile, forgot: existed ? (forget ? 'profile' : 'key') : 'nothing' }, [note]);
  },
});

/** Usage (2). */
async function requireNamedProfile({ settings, profiles }: CommandContext): Promise<void> {
  const source = settings.source('profile');
  if (settings.local || (source !== 'flag' && source !== 'environment')) return;
  const names = (await profiles.list()).map(({ name }) => name);
  if (names.includes(settings.profile)) return;
  throw noProfile(settings.profile, names, profiles.path);
}

async function forgetKey(ctx: CommandContext, profile: string): Promise<boolean> {
  const known = (await ctx.profiles.list()).find((each) => each.name === profile);
  if (known?.keyTail === undefined) return false;
  await ctx.profiles.setKey(profile, undefined);
  return true;
}

const status = defineCommand({
  output: ownObject(
    { profile: TEXT, key: TEXT },
    { from: TEXT, check: TEXT, account: TEXT, ...Object.fromEntries(ADDRESSES.map((name) => [name, TEXT])) },
  ),
  summary: 'show which key is used and where it comes from',
  examples: [['berth auth status', 'the last four characters of the key, and its source']],
  details: 'Of the key at most the last four characters are shown. Ends 3 where there is no key.',
  options: { check: option.on('ask the service whether the key is good') },
  run: async (ctx, { check }) => {
    const { settings } = ctx;
    await requireNamedProfile(ctx);
    const key = settings.local ? undefined : await settings.key();
    const row: Json = {
      profile: settings.profile,
      key: settings.local ? 'not needed' : key === undefined ? 'none' : shownKey(key.tail),
      from: settings.local ? 'local service' : key?.source,
      ...Object.fromEntries(ADDRESSES.map((name) => [name, settings.local ? undefined : settings.get(name)])),
      ...(check ? { check: await checkKey(ctx.api), account: await accountId(ctx) } : {}),
    };
    const missing = key === undefined && !settings.local;
    const ignored = key?.source === 'profile' ? setKeyVariables(ctx) : [];
    return {
      kind: 'one',
      view: statusView,
      value: row,
      exit: missing ? EXIT.denied : undefined,
      notes: [
        ...(missing ? [sentence`Log in: ${berth`auth login`}. Or use the local service with --local.`] : []),
        ...ignored.map((name) => `${name} is set and not used: the key of profile ${settings.profile} goes first.`),
      ],
    };
  },
});

/** Undefined where the service does not offer it. */
const accountId = async (ctx: CommandContext): Promise<string | undefined> =>
  stringAt((await unlessFailed(ctx, () => readAccount(ctx, 'account')))?.value, 'id');

/** Before anything is saved. Denied (3) for a refused key; else as the request. */
async function checkLogin(ctx: CommandContext, base: string, key: string): Promise<void> {
  try {
    await checkKey(ctx.loginApi({ base, key }));
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    const nothing = 'Nothing was kept, and the profile in use is as before.';
    if (error.status === 401)
      throw error.with({
        message: `the service does not accept this key: ${error.message}`,
        hint: `${nothing} Copy the key again from where it was made.`,
      });
    throw error.with({
      message: `the key could not be checked: ${error.message}`,
      hint: `${nothing} Check the address, or keep the key without asking the service: --no-check`,
    });
  }
}

/** The cheapest request that needs the key. Denied (3) for a refused key. */
async function checkKey(api: Api): Promise<string> {
  await api
    .send(readRequest(['v2', 'registries', 'delegations'], { expects: { list: 'delegations' } }))
    .catch((error: unknown) => {
      if (error instanceof Failure && error.status === 403) return;
      throw error;
    });
  return 'accepted by the service';
}

const list = defineCommand({
  output: manyOf(PROFILE),
  summary: 'list profiles',
  examples: [['berth auth list', 'with the addresses of each']],
  run: async (ctx) => {
    const profiles = await ctx.profiles.list();
    return { kind: 'many', view: profileView, values: profiles.map(profileRow) };
  },
});

const switchTo = defineCommand({
  output: ownObject({ profile: TEXT }),
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
