import { join } from 'node:path';
import type { KeyView, SettingSource, SettingsView } from '../core/context.ts';
import { Failure } from '../core/failure.ts';
import { configDirectory, dataDirectory, type DirectoryInput } from './directories.ts';
import { accountWords } from './account-words.ts';
import { checkEnvironmentKey, environmentBeside, type NamedProfile } from './key-and-addresses.ts';
import { effectiveKey, keyMark, keySource, type ApiKey } from './api-key.ts';
import { profileOf, readProfiles, type ProfileValues, type ProfilesFile } from './read-profiles.ts';
import { namedProfile, resolveLocal, resolveSetting, type GlobalFlags, type Resolved } from './resolve.ts';
import {
  ADDRESSES,
  DEFAULT_PROFILE,
  LOCAL_PROFILE,
  findSetting,
  settingNamed,
  type TableValues,
} from './settings-table.ts';
import { findStorageKey, type FoundStorageKey } from './storage-key.ts';
import { valueOfSetting } from './check-setting.ts';

export interface SettingsInput extends DirectoryInput {
  readonly flags: GlobalFlags;
  /** The number of the user that this process runs as; undefined on systems without user numbers. */
  readonly user: number | undefined;
  /** Reads the text of a key file; the path is as the user gave it. */
  readonly readKeyFile: (path: string) => Promise<string>;
}

/**
 * The settings as the code that runs commands needs them: with the API key, and with the addresses that a profile's key
 * may be sent to.
 */
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
  /**
   * The address of the management API, and a mark of the key in use that tells accounts apart, without the key. Undefined without an address or a key. Opens no key file. Fails like `keySource`.
   */
  account(): string | undefined;
  /** The same by the key alone: wherever it is kept, it is the same account. Reads a key file. Fails like `key`. */
  accountOfKey(): Promise<string | undefined>;
  /** True when a flag or variable gives another address or key than the stored profile in use. Fails like `keySource`. */
  isProfileOverridden(): boolean;
  /** The addresses stored in the profile in use, by setting name. A key stored there is sent only to these. */
  profileAddresses(): Readonly<Record<string, string>>;
  /** False when a flag or variable names a profile that is not in the file. */
  profileExists(): boolean;
  /** The names of the profiles in the file. */
  profileNames(): readonly string[];
}

/**
 * Resolves the settings of one run. The profiles file is read once, and only when neither a flag nor a variable gives a
 * value, so that a broken file does not affect a command that does not need it. When the file is broken, a setting with
 * a default uses its default; an address, the key and the profile's name fail with local-file (14).
 */
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
  /** The profile that would be in use without the local service. */
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
  const namedInUse = (): string | undefined => (namedProfile(flags, env) === profile() ? profile() : undefined);
  /** The profile that keeps settings of this run, also with the local service. */
  const keptProfile = (): string | undefined => {
    const isKept = Object.keys(file().profiles).length > 0 || namedInUse() !== undefined;
    const name = local() ? userProfile() : profile();
    return isKept && name !== LOCAL_PROFILE ? name : undefined;
  };
  const isLocalElsewhere = (): boolean => file().current === LOCAL_PROFILE;
  const isKeyBeside = (): boolean => {
    const by = named();
    const source = keySource(keySources());
    return (
      by?.by === 'environment' && source !== undefined && source !== 'profile' && by.values()['api-key'] === undefined
    );
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
      return accountWords({
        isLocal: local,
        named: namedInUse,
        profile: keptProfile,
        isLocalElsewhere,
        isKept: () =>
          Object.keys(values()).some((name) => name === 'api-key' || ADDRESSES.some((each) => each === name)),
        isKeyBeside,
        resolved,
      });
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
    profileNames: () => Object.keys(file().profiles),
    profileExists: () =>
      namedProfile(flags, env) === undefined || local() || profileOf(file(), profile()) !== undefined,
  };
}

const following = (base: Resolved | undefined): Resolved | undefined => base && { ...base, source: 'base-url' };

/** The sources without the profile. */
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
