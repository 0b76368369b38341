import { parseKeyAddress } from '../core/addresses.ts';
import { readRequest, type Api } from '../core/api.ts';
import { EXIT } from '../core/exit-codes.ts';
import { Failure, messageOf, rethrowUnlessFailure, usage } from '../core/failure.ts';
import { type Json, type JsonObject } from '../core/json.ts';
import { berth, sentence } from '../core/message.ts';
import { defineCommand, defineGroup } from '../cli/model/command.ts';
import type { CommandContext } from '../cli/model/context.ts';
import type { Profile } from '../core/context.ts';
import { arg, option } from '../cli/model/params.ts';
import { text, yesNo } from '../output/cells.ts';
import { cleanKey } from '../settings/keys.ts';
import { noProfile } from '../settings/read-profiles.ts';
import { changeResult, otherMembers, textColumn } from '../cli/resource/fields.ts';
import type { Result, View } from '../output/view.ts';
import { either, manyOf, oneOf, orNull, ownObject, TEXT, YES_NO } from '../cli/model/output-schema.ts';
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

const STORAGE_LOGIN = ownObject({ profile: TEXT, storageUrl: orNull(TEXT) });

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
    const { settings, profiles, prompts } = ctx;
    const { profile } = settings;
    if (settings.local) throw usage('the local service needs no login', 'Name a profile of your own with --profile.');
    const kept = settings.get('base-url');
    requireAnswers(ctx, [...(storage || kept !== undefined ? [] : ['--base-url']), ...(withKey ? [] : ['--with-key'])]);
    if (storage) return await loginStorage(ctx, withKey);
    const addresses = givenAddresses(ctx);
    const base = kept ?? (await prompts.text('Address of the management API', { check: invalidAddress })).trim();
    const given = withKey ? new TextDecoder().decode(await ctx.files.read('-')) : await prompts.secret('API key');
    const key = cleanKey(given, 'the input');
    if (!noCheck) await checkLogin(ctx, base, key);
    // Written together: a key must never be kept with the addresses of another login.
    await profiles.logIn(
      profile,
      settings.source('base-url') === 'profile' ? addresses : { ...addresses, 'base-url': base },
      key,
    );
    const saved = (await profiles.list()).find((each) => each.name === profile);
    const variable = KEY_VARIABLES.find((name) => (ctx.env[name] ?? '') !== '');
    return changeResult(ctx, saved === undefined ? { profile } : profileRow(saved), [
      `Profile ${profile} is in use${saved?.keyTail ? `, with a key that ends in ${saved.keyTail}` : ''}.`,
      ...(variable === undefined ? [] : [`${variable} is set and used first: unset it, or pass --profile ${profile}.`]),
    ]);
  },
});

/** Usage (2) without a terminal. */
function requireAnswers({ terminal }: CommandContext, missing: readonly string[]): void {
  if (missing.length > 0 && !terminal.canAsk)
    throw usage(
      `missing ${missing.join(' and ')}: there is no terminal to ask on`,
      sentence`Pipe the key in: ${berth`auth login --with-key --base-url https://...`} < key.txt`,
    );
}

/** Usage (2) for an address that the key must not be sent to. */
const givenAddresses = (ctx: CommandContext): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ADDRESSES.flatMap((name) => {
      const value = givenSetting(ctx, name);
      if (value !== undefined) parseKeyAddress(value, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );

function givenSetting({ settings }: CommandContext, name: 'storage-url' | (typeof ADDRESSES)[number]) {
  const source = settings.source(name);
  return source === 'flag' || source === 'environment' ? settings.get(name) : undefined;
}

function invalidAddress(address: string): string | undefined {
  try {
    parseKeyAddress(address.trim(), 'the address');
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Keeps the key of the files on volumes in the profile, beside the API key. */
async function loginStorage(ctx: CommandContext, withKey: boolean): Promise<Result> {
  const { settings, prompts } = ctx;
  const { profile } = settings;
  const lines = withKey
    ? new TextDecoder()
        .decode(await ctx.files.read('-'))
        .trimEnd()
        .split(/\r?\n/)
    : [await prompts.secret('Access key'), await prompts.secret('Secret')];
  const [accessKeyId = '', secretAccessKey = ''] = lines;
  if (lines.length !== 2 || accessKeyId === '' || secretAccessKey === '')
    throw usage('stdin must have two lines', 'Write the access key in the first and the secret in the second.');
  await ctx.profiles.setStorageKey(profile, { accessKeyId, secretAccessKey }, givenSetting(ctx, 'storage-url'));
  const storageUrl = settings.text('storage-url') ?? null;
  return changeResult(ctx, { profile, storageUrl }, [
    `Profile ${profile} has a storage key.`,
    storageUrl === null
      ? sentence`It needs the address of the files: ${berth`config set storage-url URL`}`
      : sentence`Check it: ${berth`files ls VOLUME`}`,
  ]);
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
    const { profile } = ctx.settings;
    const what = forget ? 'profile' : storage ? 'storage key' : 'key';
    const existed = forget
      ? await ctx.profiles.remove(profile)
      : storage
        ? await ctx.profiles.setStorageKey(profile, undefined)
        : await forgetKey(ctx, profile);
    const note = existed ? `forgot the ${what} of profile ${profile}` : `profile ${profile} had no ${what}`;
    return changeResult(ctx, { profile, forgot: existed ? (forget ? 'profile' : 'key') : 'nothing' }, [note]);
  },
});

/** Usage (2) for a profile that is not there. */
async function requireNamedProfile({ settings, profiles }: CommandContext): Promise<void> {
  const source = settings.source('profile');
  if (settings.local || (source !== 'flag' && source !== 'environment')) return;
  const names = (await profiles.list()).map(({ name }) => name);
  if (!names.includes(settings.profile)) throw noProfile(settings.profile, names, profiles.path);
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
    const row: Json = {
      profile: settings.profile,
      key: settings.local ? 'not needed' : key === undefined ? 'none' : shownKey(key.tail),
      from: settings.local ? 'local service' : key?.source,
      ...Object.fromEntries(ADDRESSES.map((name) => [name, settings.local ? undefined : settings.get(name)])),
      ...(check ? { check: await checkKey(ctx.api) } : {}),
    };
    const missing = key === undefined && !settings.local;
    return {
      kind: 'one',
      view: statusView,
      value: row,
      exit: missing ? EXIT.denied : undefined,
      notes: missing ? [sentence`Log in: ${berth`auth login`}. Or use the local service with --local.`] : [],
    };
  },
});

/** Before anything is saved. Denied (3) for a refused key; else as the request. */
async function checkLogin(ctx: CommandContext, base: string, key: string): Promise<void> {
  try {
    await checkKey(ctx.loginApi({ base, key }));
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    const isRefused = error.status === 401;
    const what = isRefused ? 'the service does not accept this key' : 'the key could not be checked';
    const next = isRefused ? 'Copy the key again.' : 'Check the address, or keep the key unchecked: --no-check';
    throw error.with({ message: `${what}: ${error.message}`, hint: `Nothing was kept. ${next}` });
  }
}

/** The cheapest request that needs the key. Denied (3) for a refused key. */
async function checkKey(api: Api): Promise<string> {
  try {
    await api.send(readRequest(['v2', 'registries', 'delegations'], { expects: { list: 'delegations' } }));
  } catch (error) {
    // It is known, and may not read this.
    if (!(error instanceof Failure && error.status === 403)) throw error;
  }
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
