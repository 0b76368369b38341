import { join } from 'node:path';
import type { KeyView, SettingSource, SettingsView } from '../core/context.ts';
import { Failure, usage } from '../core/failure.ts';
import { type AccountWords, berth, sentence } from '../core/message.ts';
import { type ApiKey, effectiveKey, findStorageKey, type FoundStorageKey, keyMark, keySource } from './keys.ts';
import {
  configDirectory,
  dataDirectory,
  type DirectoryInput,
  noProfile,
  profileOf,
  type ProfilesFile,
  type ProfileValues,
  readProfiles,
} from './read-profiles.ts';
import {
  type GlobalFlags,
  namedProfile,
  type Resolved,
  resolveLocal,
  resolveSetting,
  valueOfSetting,
} from './resolve.ts';
import {
  ADDRESSES,
  DEFAULT_PROFILE,
  findSetting,
  KEY_VARIABLES,
  LOCAL_PROFILE,
  SECRET_VARIABLES,
  type SettingName,
  settingNamed,
  type TableValues,
} from './settings-table.ts';

const isGiven = (found: Resolved | undefined): boolean => found?.source === 'flag' || found?.source === 'environment';

function flagWords(name: SettingName, value: string | undefined): readonly string[] {
  const { flag } = settingNamed(name);
  return value === undefined || flag === undefined ? [] : [flag, value];
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

interface NamedProfile {
  readonly name: string;
  readonly by: 'flag' | 'environment';
  readonly values: () => ProfileValues;
}

/** With `--profile`, its stored addresses and key replace the variables: a key belongs to its addresses. */
function environmentBeside(named: NamedProfile | undefined, env: Environment): Environment {
  if (named?.by !== 'flag') return env;
  const dropped = [...(hasAddress(named) ? ADDRESS_VARIABLES : []), ...(hasKey(named) ? SECRET_VARIABLES : [])];
  return Object.fromEntries(Object.entries(env).filter(([name]) => !dropped.includes(name)));
}

/** A key of the environment must not go to a profile's addresses. Fails with usage (2), saying what to drop. */
function checkEnvironmentKey(named: NamedProfile | undefined, env: Environment, isAddressGiven: boolean): void {
  const variable = KEY_VARIABLES.find((name) => env[name] !== undefined && env[name] !== '');
  if (named === undefined || variable === undefined) return;
  const { name, by, values } = named;
  if (by === 'flag' && hasAddress(named) && !hasKey(named) && !isAddressGiven)
    throw usage(
      `profile "${name}" keeps addresses and no key, and ${variable} is not known to be a key for them`,
      sentence`Keep its key: ${berth`auth login --profile ${name}`}. Or, where ${variable} is for it, set BERTH_PROFILE=${name} beside it and drop --profile.`,
    );
  if (by === 'environment' && hasKey(named) && env[variable]?.trim() !== values()['api-key'])
    throw usage(
      `${variable} is set, and profile "${name}", which BERTH_PROFILE names, keeps a key of its own`,
      `Unset ${variable} to use the profile's key, or unset BERTH_PROFILE. With --profile ${name} the profile's key is used.`,
    );
}

const ADDRESS_VARIABLES: readonly string[] = ADDRESSES.map((name) => findSetting(name)?.variable ?? '');

const hasAddress = ({ values }: NamedProfile): boolean => ADDRESSES.some((name) => values()[name] !== undefined);
const hasKey = ({ values }: NamedProfile): boolean => values()['api-key'] !== undefined;

export interface SettingsInput extends DirectoryInput {
  readonly flags: GlobalFlags;
  /** Undefined on systems without user numbers. */
  readonly user: number | undefined;
  readonly readKeyFile: (path: string) => Promise<string>;
}

/** Has the API key itself and where it may be sent; commands only get SettingsView. */
export interface Settings extends SettingsView {
  /** Path of the profiles file, whether it exists or not. Fails with usage (2) when there is no home directory. */
  readonly profilesPath: string;
  readonly dataDirectory: string;
  /** The key itself. `again` reads a key file or a profile that has changed since. Fails like `key`. */
  apiKey(again?: boolean): Promise<ApiKey | undefined>;
  /** The key of the files on volumes: of the environment, else of the profile. */
  storageKey(): FoundStorageKey | undefined;
  /** Where the key comes from. Opens no key file. Fails like `key` when the key must not be used with the profile. */
  keySource(): KeyView['source'] | undefined;
  /** Address and a hash of the key; undefined if either is missing. Opens no key file. Fails like `keySource`. */
  account(): string | undefined;
  /** The same by the key alone: wherever it is kept, it is the same account. Reads a key file. Fails like `key`. */
  accountOfKey(): Promise<string | undefined>;
  /** True when a flag or variable gives another address or key than the stored profile in use. Fails like `keySource`. */
  isProfileOverridden(): boolean;
  /** The addresses stored in the profile in use, by setting name. A key stored there is sent only to these. */
  profileAddresses(): Readonly<Record<string, string>>;
  /** Fails with usage (2) when a flag or variable names a profile that is not in the file. */
  requireProfile(): void;
}

/** Reads the profiles file only if needed; if broken, defaults apply, and address or key: local-file (14). */
export function createSettings(input: SettingsInput): Settings {
  const { flags, env } = input;
  const profilesPath = once(() => join(configDirectory(input), 'config.json'));
  const file = once((): ProfilesFile => readProfiles(profilesPath(), input.user));
  const local = once(() => resolveLocal(flags, env, () => file().current));
  const profile = once(() => {
    if (local()) return LOCAL_PROFILE;
    const named = namedProfile(flags, env) ?? file().current;
    // The file names the local profile, but a flag or variable gives an address: that has priority over the file.
    return named === undefined || named === LOCAL_PROFILE ? DEFAULT_PROFILE : named;
  });
  const values = once((): ProfileValues => (local() ? {} : (profileOf(file(), profile()) ?? {})));
  const userProfile = (): string => namedProfile(flags, env) ?? file().current ?? DEFAULT_PROFILE;
  const userValues = (): ProfileValues => profileOf(file(), userProfile()) ?? {};
  const named = once((): NamedProfile | undefined => {
    if (local() || namedProfile(flags, env) === undefined) return undefined;
    const by = namedProfile(flags, {}) === undefined ? 'environment' : 'flag';
    return { name: profile(), by, values: () => (by === 'flag' ? values() : orEmpty(values)) };
  });
  const ownEnv = (): SettingsInput['env'] => environmentBeside(named(), env);
  const where = (): string => `of profile "${profile()}" in ${profilesPath()}`;

  const resolved = (name: string): Resolved | undefined =>
    // One address often serves both. It is not stored, so that it follows a base address that changes.
    resolvedDirectly(name) ?? (name === 'queue-url' ? following(resolvedDirectly('base-url')) : undefined);
  const resolvedDirectly = (name: string): Resolved | undefined => {
    const setting = findSetting(name);
    if (setting === undefined) return undefined;
    if (name === 'profile')
      return { value: profile(), source: resolveSetting(setting, withoutProfile(input))?.source ?? profileSource() };
    if (name === 'local')
      return { value: String(local()), source: resolveSetting(setting, withoutProfile(input))?.source ?? 'default' };
    if (name === 'config-dir') return directory(env['BERTH_CONFIG_DIR'], configDirectory(input));
    if (name === 'data-dir') return directory(env['BERTH_DATA_DIR'], dataDirectory(input));
    return resolveSetting(setting, {
      flags,
      env: setting.kind === 'address' || setting.secret ? ownEnv() : env,
      profile: () => {
        if (setting.appliesToLocal === true && local()) return { values: orEmpty(userValues), where: 'of the profile' };
        if (setting.kind === 'address' && isBaseUrlGiven()) return { values: {}, where: '' };
        if (setting.failsWithFile ?? (setting.default === undefined && setting.kind !== 'choice'))
          return { values: values(), where: where() };
        return { values: orEmpty(values), where: 'of the profile' };
      },
    });
  };
  /** With a base address from a flag or a variable, no address of the profile is used: its other ones may be of another service. */
  const isBaseUrlGiven = once(
    (): boolean => resolveSetting(settingNamed('base-url'), { ...withoutProfile(input), env: ownEnv() }) !== undefined,
  );
  const isLocalElsewhere = (): boolean => file().current === LOCAL_PROFILE;
  /** A variable's key goes to the addresses of BERTH_PROFILE: `--profile` alone would be refused. */
  const isKeyBeside = (): boolean => {
    const by = named();
    const source = keySource(keySources());
    return (
      by?.by === 'environment' && source !== undefined && source !== 'profile' && by.values()['api-key'] === undefined
    );
  };
  /** The profile that keeps settings of this run, also with the local service. */
  const keptProfile = (): string | undefined => {
    const isKept = Object.keys(file().profiles).length > 0 || namedProfile(flags, env) === profile();
    const name = local() ? userProfile() : profile();
    return isKept && name !== LOCAL_PROFILE ? name : undefined;
  };
  const addressWords = (): readonly string[] => {
    const base = orUndefined(() => resolved('base-url')?.value);
    const isAll = base !== undefined && orUndefined(isKeyBeside) === true;
    return ADDRESSES.flatMap((name) => {
      const found = orUndefined(() => resolved(name));
      const follows = name === 'queue-url' && found?.source === 'environment' && found.value === base;
      return isAll || (isGiven(found) && !follows) ? flagWords(name, found?.value) : [];
    });
  };
  /** For another shell with the same home and key. A key has no flag; a refused value is left out. */
  const accountWords = (): AccountWords => {
    const profileWords = flagWords('profile', orUndefined(keptProfile));
    if (orUndefined(local) === true)
      return { account: [settingNamed('local').flag ?? ''], addresses: [], profile: profileWords, storage: [] };
    const name = orUndefined(() => (namedProfile(flags, env) === profile() ? profile() : undefined));
    const isElsewhere = orUndefined(isLocalElsewhere) === true;
    const isKept = orUndefined(() =>
      Object.keys(values()).some((each) => each === 'api-key' || ADDRESSES.some((address) => address === each)),
    );
    const isOfShell = ADDRESSES.every((each) => orUndefined(() => resolved(each))?.source !== 'flag');
    // The only service that the shell knows needs no words.
    const isOnlyService = name === undefined && isOfShell && !isElsewhere && isKept !== true;
    const addresses = isOnlyService ? [] : addressWords();
    const storage = orUndefined(() => resolved('storage-url'));
    // An address on the command line means a remote service already.
    const isHidden = name === undefined && addresses.length === 0 && isElsewhere;
    return {
      account: isHidden ? profileWords : flagWords('profile', name),
      addresses,
      profile: profileWords,
      storage:
        isGiven(storage) && !(isOnlyService && storage?.source !== 'flag')
          ? flagWords('storage-url', storage?.value)
          : [],
    };
  };
  const profileSource = (): SettingSource => (file().current === undefined ? 'default' : 'profile');
  const keySources = once(() => {
    checkEnvironmentKey(named(), env, flags['base-url'] !== undefined);
    return {
      env: ownEnv(),
      readFile: input.readKeyFile,
      inProfile: () => {
        const key = values()['api-key'];
        return key === undefined ? undefined : { key, where: where() };
      },
    };
  });
  const markAtStart = once(() => keyMark(keySources()));
  // Read once, because a pipe can be read only once.
  const apiKey = once(async () => {
    markAtStart();
    return await effectiveKey(keySources());
  });
  const apiKeyAgain = async (): Promise<ApiKey | undefined> => {
    const inProfile = () => {
      const kept = profileOf(readProfiles(profilesPath(), input.user), profile()) ?? {};
      const key = kept['api-key'];
      // The key of a profile with other addresses is for these alone.
      const isForOthers = ADDRESSES.some((name) => kept[name] !== values()[name]);
      return key === undefined || isForOthers ? undefined : { key, where: where() };
    };
    const sources = { ...keySources(), inProfile };
    return keyMark(sources) === markAtStart() ? await apiKey() : await effectiveKey(sources);
  };

  return {
    get profile() {
      return profile();
    },
    get local() {
      return local();
    },
    get accountWords() {
      return accountWords();
    },
    get profilesPath() {
      return profilesPath();
    },
    get dataDirectory() {
      return dataDirectory(input);
    },
    get: (name) => {
      const setting = settingNamed(name);
      const text = resolved(name)?.value ?? (setting.kind === 'switch' ? 'false' : undefined);
      return (text === undefined ? undefined : valueOfSetting(setting, text)) as TableValues[typeof name];
    },
    text: (name) => (findSetting(name)?.secret === true ? undefined : resolved(name)?.value),
    source: (name) => resolved(name)?.source,
    // Async, so that a failure becomes a rejection.
    key: async (): Promise<KeyView | undefined> => (local() ? undefined : await apiKey()),
    apiKey: (again) => (again === true ? apiKeyAgain() : apiKey()),
    storageKey: () => findStorageKey(ownEnv(), values),
    keySource: () => keySource(keySources()),
    account: () => {
      if (local()) return LOCAL_PROFILE;
      const address = resolved('base-url')?.value;
      const mark = keyMark(keySources());
      return address === undefined || mark === undefined ? undefined : `${address} ${mark}`;
    },
    accountOfKey: async () => {
      if (local()) return LOCAL_PROFILE;
      const address = resolved('base-url')?.value;
      const key = await apiKey();
      return address === undefined || key === undefined ? undefined : `${address} ${key.mark}`;
    },
    isProfileOverridden: () =>
      !local() &&
      profileOf(file(), profile()) !== undefined &&
      (['environment', 'flag'].includes(resolved('base-url')?.source ?? '') || keySource(keySources()) !== 'profile'),
    profileAddresses: () =>
      Object.fromEntries(
        ADDRESSES.flatMap((name) => {
          const value = values()[name];
          return value === undefined ? [] : [[name, value]];
        }),
      ),
    requireProfile: () => {
      if (namedProfile(flags, env) !== undefined && !local() && profileOf(file(), profile()) === undefined)
        throw noProfile(profile(), Object.keys(file().profiles), profilesPath());
    },
  };
}

const following = (base: Resolved | undefined): Resolved | undefined => base && { ...base, source: 'base-url' };

const withoutProfile = (input: SettingsInput): Parameters<typeof resolveSetting>[1] => ({
  flags: input.flags,
  env: input.env,
  profile: () => ({ values: {}, where: '' }),
});

const directory = (variable: string | undefined, value: string): Resolved => ({
  value,
  source: variable === undefined || variable === '' ? 'default' : 'environment',
});

function orEmpty(values: () => ProfileValues): ProfileValues {
  try {
    return values();
  } catch (error) {
    if (error instanceof Failure) return {};
    throw error;
  }
}

/** Computes a value on the first call and reuses it. A failure is not stored. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
