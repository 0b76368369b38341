import { join } from 'node:path';
import type { KeyView, SettingsView } from '../core/settings.ts';
import { Failure, usage } from '../core/failure.ts';
import { type AccountWords, berth, sentence } from '../core/message.ts';
import { type ApiKey, effectiveKey, findStorageKey, keyMark, keySource } from './keys.ts';
import {
  directoryOf,
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
  settingNamed,
  type TableValues,
} from './settings-table.ts';

export interface SettingsInput extends DirectoryInput {
  readonly flags: GlobalFlags;
  /** Undefined on systems without user numbers. */
  readonly user: number | undefined;
  readonly readKeyFile: (path: string) => Promise<string>;
}

/** Has the API key itself and where it may be sent; commands only get SettingsView. */
export type Settings = ReturnType<typeof createSettings>;

/** Reads the profiles file only if needed; if broken, defaults apply, and address or key: local-file (14). */
export function createSettings(input: SettingsInput) {
  const { flags, env } = input;
  const profilesPath = once(() => join(directoryOf('config', input), 'config.json'));
  const file = once((): ProfilesFile => readProfiles(profilesPath(), input.user));
  const local = once(() => resolveLocal(flags, env, () => file().current));
  const named = once(() => namedProfile(flags, env));
  const isNamedByFlag = flags['profile'] !== undefined;
  const profile = once(() => {
    if (local()) return LOCAL_PROFILE;
    const chosen = named() ?? file().current;
    // The file names the local profile, but a flag or variable gives an address: that has priority over the file.
    return chosen === undefined || chosen === LOCAL_PROFILE ? DEFAULT_PROFILE : chosen;
  });
  const valuesOf = (name: string): ProfileValues => profileOf(file(), name) ?? {};
  const values = once((): ProfileValues => (local() ? {} : valuesOf(profile())));
  const keeps = (...members: readonly string[]): boolean => members.some((name) => values()[name] !== undefined);
  const where = (): string => `of profile "${profile()}" in ${profilesPath()}`;

  /** With `--profile`, its stored addresses and key replace the variables: a key belongs to its addresses. */
  const ownEnv = once((): SettingsInput['env'] => {
    if (local() || !isNamedByFlag) return env;
    const addresses = ADDRESSES.map((name) => settingNamed(name).variable);
    const dropped = [...(keeps(...ADDRESSES) ? addresses : []), ...(keeps('api-key') ? SECRET_VARIABLES : [])];
    return Object.fromEntries(Object.entries(env).filter(([name]) => !dropped.includes(name)));
  });

  /** A key of the environment must not go to a profile's addresses. Fails with usage (2), saying what to drop. */
  const checkEnvironmentKey = (): void => {
    const variable = KEY_VARIABLES.find((name) => env[name] !== undefined && env[name] !== '');
    if (local() || named() === undefined || variable === undefined) return;
    const name = profile();
    const key = isNamedByFlag ? undefined : orUndefined(values)?.['api-key'];
    if (isNamedByFlag && keeps(...ADDRESSES) && !keeps('api-key') && flags['base-url'] === undefined)
      throw usage(
        `profile "${name}" keeps addresses and no key, and ${variable} is not known to be a key for them`,
        sentence`Keep its key: ${berth`auth login --profile ${name}`}. Or, where ${variable} is for it, set BERTH_PROFILE=${name} beside it and drop --profile.`,
      );
    if (key !== undefined && env[variable]?.trim() !== key)
      throw usage(
        `${variable} is set, and profile "${name}", which BERTH_PROFILE names, keeps a key of its own`,
        `Unset ${variable} to use the profile's key, or unset BERTH_PROFILE. With --profile ${name} the profile's key is used.`,
      );
  };

  const decided: Readonly<Record<string, () => string>> = {
    profile,
    local: () => String(local()),
    'config-dir': () => directoryOf('config', input),
    'data-dir': () => directoryOf('data', input),
  };
  const resolvedDirectly = (name: string): Resolved | undefined => {
    const setting = findSetting(name);
    if (setting === undefined) return undefined;
    const value = decided[name]?.();
    const rest = name === 'profile' && file().current !== undefined ? 'profile' : 'default';
    if (value !== undefined) return { value, source: resolveSetting(setting, { flags, env })?.source ?? rest };
    const kept = (): ProfileValues => {
      if (setting.appliesToLocal === true && local())
        return orUndefined(() => valuesOf(named() ?? file().current ?? DEFAULT_PROFILE)) ?? {};
      if (setting.kind === 'address' && isBaseUrlGiven()) return {};
      const fails = setting.failsWithFile ?? (setting.default === undefined && setting.kind !== 'choice');
      return fails ? values() : (orUndefined(values) ?? {});
    };
    return resolveSetting(setting, {
      flags,
      env: setting.kind === 'address' || setting.secret ? ownEnv() : env,
      profile: () => ({ values: kept(), where }),
    });
  };
  /** With a base address from a flag or a variable, no address of the profile is used: its other ones may be of another service. */
  const isBaseUrlGiven = once(
    (): boolean => resolveSetting(settingNamed('base-url'), { flags, env: ownEnv() }) !== undefined,
  );
  const resolved = (name: string): Resolved | undefined => {
    const found = resolvedDirectly(name);
    if (found !== undefined || name !== 'queue-url') return found;
    // One address often serves both. It is not stored, so that it follows a base address that changes.
    const base = resolvedDirectly('base-url');
    return base && { ...base, source: 'base-url' };
  };

  const keySources = once(() => {
    checkEnvironmentKey();
    const key = () => values()['api-key'];
    return { env: ownEnv(), readFile: input.readKeyFile, inProfile: () => keyIn(key(), where) };
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
      // The key of a profile with other addresses is for these alone.
      const isForOthers = ADDRESSES.some((name) => kept[name] !== values()[name]);
      return isForOthers ? undefined : keyIn(kept['api-key'], where);
    };
    const sources = { ...keySources(), inProfile };
    return keyMark(sources) === markAtStart() ? await apiKey() : await effectiveKey(sources);
  };
  const accountBy = (mark: string | undefined): string | undefined => {
    const address = resolved('base-url')?.value;
    return address === undefined || mark === undefined ? undefined : `${address} ${mark}`;
  };

  /** For another shell with the same home and key. A key has no flag; a refused value is left out. */
  const accountWords = (): AccountWords => {
    if (orUndefined(local) === true) return { account: ['--local'], storage: [] };
    const name = orUndefined(() => (named() === profile() ? profile() : undefined));
    const isElsewhere = orUndefined(() => file().current) === LOCAL_PROFILE;
    const found = ADDRESSES.map((each) => [each, orUndefined(() => resolved(each))] as const);
    const isKept = orUndefined(() => keeps(...ADDRESSES, 'api-key')) === true;
    // The only service that the shell knows needs no words.
    const isOnlyService =
      name === undefined && !isElsewhere && !isKept && found.every(([, each]) => each?.source !== 'flag');
    // A variable's key goes to the addresses of BERTH_PROFILE: `--profile` alone would be refused.
    const isKeyBeside =
      !isNamedByFlag &&
      name !== undefined &&
      orUndefined(() => !keeps('api-key') && keySource(keySources()) !== undefined) === true;
    const addresses = found.filter(([, each]) => !isOnlyService && (isKeyBeside || isGiven(each)));
    // An address on the command line means a remote service already.
    const chosen = name ?? (addresses.length === 0 && isElsewhere ? orUndefined(profile) : undefined);
    const storage = orUndefined(() => resolved('storage-url'));
    return {
      account: [...flagWords('profile', chosen), ...addresses.flatMap(([each, of]) => flagWords(each, of?.value))],
      storage: isGiven(storage) ? flagWords('storage-url', storage?.value) : [],
    };
  };

  const get: SettingsView['get'] = (name) => {
    const setting = settingNamed(name);
    const text = resolved(name)?.value ?? (setting.kind === 'switch' ? 'false' : undefined);
    return (text === undefined ? undefined : valueOfSetting(setting, text)) as TableValues[typeof name];
  };
  return {
    get,
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
      return directoryOf('data', input);
    },
    text: (name: string) => (findSetting(name)?.secret === true ? undefined : resolved(name)?.value),
    source: (name: string) => resolved(name)?.source,
    // Async, so that a failure becomes a rejection.
    key: async (): Promise<KeyView | undefined> => (local() ? undefined : await apiKey()),
    /** The key itself. `again` reads a key file or a profile that has changed since. Fails like `key`. */
    apiKey: (again?: boolean) => (again === true ? apiKeyAgain() : apiKey()),
    storageKey: () => findStorageKey(ownEnv(), values),
    /** Opens no key file. Fails like `key` when the key must not be used with the profile. */
    keySource: () => keySource(keySources()),
    /** Address and a hash of the key; undefined if either is missing. Opens no key file. Fails like `keySource`. */
    account: () => (local() ? LOCAL_PROFILE : accountBy(keyMark(keySources()))),
    /** The same by the key alone: wherever it is kept, it is the same account. Reads a key file. Fails like `key`. */
    accountOfKey: async () => (local() ? LOCAL_PROFILE : accountBy((await apiKey())?.mark)),
    /** True when a flag or variable gives another address or key than the stored profile in use. Fails like `keySource`. */
    isProfileOverridden: () =>
      !local() &&
      profileOf(file(), profile()) !== undefined &&
      (isGiven(resolved('base-url')) || keySource(keySources()) !== 'profile'),
    /** The addresses stored in the profile in use. A key stored there is sent only to these. */
    profileAddresses: (): Readonly<Record<string, string>> =>
      Object.fromEntries(Object.entries(values()).filter(([name]) => ADDRESSES.some((each) => each === name))),
    /** Fails with usage (2) when a flag or variable names a profile that is not in the file. */
    requireProfile: () => {
      if (named() !== undefined && !local() && profileOf(file(), profile()) === undefined)
        throw noProfile(profile(), Object.keys(file().profiles), profilesPath());
    },
  } satisfies SettingsView & Record<string, unknown>;
}

const isGiven = (found: Resolved | undefined): boolean => found?.source === 'flag' || found?.source === 'environment';

const flagWords = (name: string, value: string | undefined): readonly string[] =>
  value === undefined ? [] : [`--${name}`, value];

const keyIn = (key: string | undefined, where: () => string) =>
  key === undefined ? undefined : { key, where: where() };

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** Computes a value on the first call and reuses it. A failure is not stored. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
