import { parseKeyAddress } from '../../core/addresses.ts';
import { readRequest, type Api } from '../../core/api.ts';
import type { Profile, SettingsView } from '../../core/context.ts';
import { Failure, messageOf, rethrowUnlessFailure, usage } from '../../core/failure.ts';
import type { JsonObject } from '../../core/json.ts';
import { berth, sentence } from '../../core/message.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { either, orNull, ownObject, TEXT, YES_NO } from '../../cli/model/output-schema.ts';
import { option } from '../../cli/model/params.ts';
import { changeResult } from '../../cli/resource/fields.ts';
import type { Result } from '../../output/view.ts';
import { cleanKey } from '../../settings/keys.ts';
import { KEY_VARIABLES, SETTINGS } from '../../settings/settings-table.ts';

export const ADDRESSES = ['base-url', 'queue-url', 'rest-url'] as const;

export const PROFILE = ownObject(
  { profile: TEXT, current: YES_NO, key: orNull(TEXT) },
  Object.fromEntries(SETTINGS.flatMap(({ name, inProfile }) => (inProfile ? [[name, TEXT]] : []))),
);

/** Nothing of a short key, whose tail is empty. */
export const shownKey = (tail: string): string => (tail === '' ? 'too short to show a part of it' : `ends in ${tail}`);

export const profileRow = ({ name, current, keyTail, values }: Profile): JsonObject => ({
  profile: name,
  current,
  key: keyTail === undefined ? null : shownKey(keyTail),
  ...values,
});

export const login = defineCommand({
  output: () => either(PROFILE, ownObject({ profile: TEXT, storageUrl: orNull(TEXT) })),
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
    const missing = [...(storage || kept !== undefined ? [] : ['--base-url']), ...(withKey ? [] : ['--with-key'])];
    if (missing.length > 0 && !ctx.terminal.canAsk)
      throw usage(
        `missing ${missing.join(' and ')}: there is no terminal to ask on`,
        sentence`Pipe the key in: ${berth`auth login --with-key --base-url https://...`} < key.txt`,
      );
    if (storage) return await loginStorage(ctx, withKey);
    const addresses = givenAddresses(ctx);
    const base = kept ?? (await prompts.text('Address of the management API', { check: invalidAddress })).trim();
    const given = withKey ? await readInput(ctx) : await prompts.secret('API key');
    const key = cleanKey(given, 'the key in the input');
    if (!noCheck) await checkLogin(ctx, base, key);
    const isOfProfile = settings.source('base-url') === 'profile';
    // Written together: a key must never be kept with the addresses of another login.
    await profiles.logIn(profile, isOfProfile ? addresses : { ...addresses, 'base-url': base }, key);
    const saved = (await profiles.list()).find((each) => each.name === profile);
    const variable = KEY_VARIABLES.find((name) => (ctx.env[name] ?? '') !== '');
    return changeResult(ctx, saved === undefined ? { profile } : profileRow(saved), [
      `Profile ${profile} is in use${saved?.keyTail ? `, with a key that ends in ${saved.keyTail}` : ''}.`,
      ...(variable === undefined ? [] : [`${variable} is set and used first: unset it, or pass --profile ${profile}.`]),
    ]);
  },
});

const readInput = async ({ files }: CommandContext): Promise<string> => new TextDecoder().decode(await files.read('-'));

/** Usage (2) for an address that the key must not be sent to. */
function givenAddresses({ settings }: CommandContext): Readonly<Record<string, string>> {
  const given = ADDRESSES.filter((name) => isTyped(settings, name)).map((name) => {
    const value = settings.get(name) ?? '';
    parseKeyAddress(value, name);
    return [name, value] as const;
  });
  return Object.fromEntries(given);
}

/** By a flag or the environment. */
export const isTyped = (
  settings: SettingsView,
  name: 'profile' | 'storage-url' | (typeof ADDRESSES)[number],
): boolean => ['flag', 'environment'].includes(settings.source(name) ?? '');

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
    ? (await readInput(ctx)).trimEnd().split(/\r?\n/)
    : [await prompts.secret('Access key'), await prompts.secret('Secret')];
  const [accessKeyId = '', secretAccessKey = ''] = lines;
  if (lines.length !== 2 || accessKeyId === '' || secretAccessKey === '')
    throw usage('stdin must have two lines', 'Write the access key in the first and the secret in the second.');
  const storageUrl = settings.text('storage-url');
  await ctx.profiles.setStorageKey(
    profile,
    { accessKeyId, secretAccessKey },
    isTyped(settings, 'storage-url') ? storageUrl : undefined,
  );
  return changeResult(ctx, { profile, storageUrl: storageUrl ?? null }, [
    `Profile ${profile} has a storage key.`,
    storageUrl === undefined
      ? sentence`It needs the address of the files: ${berth`config set storage-url URL`}`
      : sentence`Check it: ${berth`files ls VOLUME`}`,
  ]);
}

/** Before anything is saved. Denied (3) for a refused key; else as the request. */
async function checkLogin(ctx: CommandContext, base: string, key: string): Promise<void> {
  try {
    await checkKey(await ctx.loginApi({ base, key }));
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    const [what, next] =
      error.status === 401
        ? ['the service does not accept this key', 'Copy the key again.']
        : ['the key could not be checked', 'Check the address, or keep the key unchecked: --no-check'];
    throw error.with({ message: `${what}: ${error.message}`, hint: `Nothing was kept. ${next}` });
  }
}

/** The cheapest request that needs the key. Denied (3) for a refused key. */
export async function checkKey(api: Api): Promise<void> {
  try {
    await api.send(readRequest(['v2', 'registries', 'delegations'], { expects: { list: 'delegations' } }));
  } catch (error) {
    // A key that may not read this is known.
    if (!(error instanceof Failure && error.status === 403)) throw error;
  }
}
