import { join } from 'node:path';
import type { KeyView, SettingSource, SettingsView } from '../core/context.ts';
import { Failure } from '../core/failure.ts';
import { configDirectory, dataDirectory, type Surroundings } from './directories.ts';
import { checkKeyOf, environmentBeside, type NamedProfile } from './key-and-addresses.ts';
import { effectiveKey, keySource, type ApiKey } from './api-key.ts';
import { profileOf, readProfiles, type ProfileValues, type ProfilesFile } from './read-profiles.ts';
import { namedProfile, resolveLocal, resolveSetting, type GlobalFlags, type Resolved } from './resolve.ts';
import { ADDRESSES, DEFAULT_PROFILE, LOCAL_PROFILE, findSetting, settingNamed, type TableValues } from './table.ts';
import { valueOfSetting } from './validate.ts';

export interface SettingsInput extends Surroundings {
  readonly flags: GlobalFlags;
  /** The text of a key file, by its name as it was given. */
  readonly readKeyFile: (path: string) => Promise<string>;
}

/** The settings as the host needs them: with the key itself, and what of a profile's its key may be sent to. */
export interface Settings extends SettingsView {
  /** Where the profiles lie, whether the file exists or not. Fails with usage (2) where nothing names a place. */
  readonly profilesPath: string;
  readonly dataDirectory: string;
  /** The key itself. Fails like `key`. */
  apiKey(): Promise<ApiKey | undefined>;
  /** Where the key comes from; opens no key file. Fails like `key` where it may not be used beside the profile. */
  keySource(): KeyView['source'] | undefined;
  /** The addresses kept in the profile in use, by setting name: a key kept there is for these. */
  profileAddresses(): Readonly<Record<string, string>>;
  /** False where a flag or variable names a profile that the file does not have. */
  profileExists(): boolean;
}

/**
 * The settings of one run. The profiles file is read once, and only when something is asked that neither a flag nor a
 * variable answers: a broken file troubles nobody who does not need it. What has a default falls back on it then; an
 * address, the key and the name of the profile fail with local-file (14).
 */
export function createSettings(input: SettingsInput): Settings {
  const { flags, env } = input;
  const profilesPath = once(() => join(configDirectory(input), 'config.json'));
  const file = once((): ProfilesFile => readProfiles(profilesPath()));
  const local = once(() => resolveLocal(flags, env, () => file().current));
  const profile = once(() => {
    if (local()) return LOCAL_PROFILE;
    const named = namedProfile(flags, env) ?? file().current;
    // An address beside a file whose profile is the local one: what is said nearer has won.
    return named === undefined || named === LOCAL_PROFILE ? DEFAULT_PROFILE : named;
  });
  const values = once((): ProfileValues => (local() ? {} : (profileOf(file(), profile()) ?? {})));
  const named = once((): NamedProfile | undefined => {
    if (local() || namedProfile(flags, env) === undefined) return undefined;
    const by = namedProfile(flags, {}) === undefined ? 'environment' : 'flag';
    return { name: profile(), by, values: () => (by === 'flag' ? values() : orEmpty(values)) };
  });
  const ownEnv = (): SettingsInput['env'] => environmentBeside(named(), env);
  const where = (): string => `of profile "${profile()}" in ${profilesPath()}`;

  const resolved = (name: string): Resolved | undefined =>
    // One address often serves both. Never kept, so that it follows a base address that changes.
    resolvedAlone(name) ?? (name === 'queue-url' ? following(resolvedAlone('base-url')) : undefined);
  const resolvedAlone = (name: string): Resolved | undefined => {
    const setting = findSetting(name);
    if (setting === undefined) return undefined;
    if (name === 'profile') return { value: profile(), source: resolveSetting(setting, none(input))?.source ?? kept() };
    if (name === 'local')
      return { value: String(local()), source: resolveSetting(setting, none(input))?.source ?? 'default' };
    if (name === 'config-dir') return directory(env['BERTH_CONFIG_DIR'], configDirectory(input));
    if (name === 'data-dir') return directory(env['BERTH_DATA_DIR'], dataDirectory(input));
    return resolveSetting(setting, {
      flags,
      env: setting.kind === 'address' || setting.secret ? ownEnv() : env,
      profile: () => {
        if (setting.default === undefined && setting.kind !== 'choice') return { values: values(), where: where() };
        return { values: orEmpty(values), where: 'of the profile' };
      },
    });
  };
  const kept = (): SettingSource => (file().current === undefined ? 'default' : 'profile');
  const keySources = once(() => {
    checkKeyOf(named(), env);
    return {
      env: ownEnv(),
      readFile: input.readKeyFile,
      inProfile: () => {
        const key = values()['api-key'];
        return key === undefined ? undefined : { key, where: where() };
      },
    };
  });
  // Read once: a pipe gives its key once.
  const apiKey = once(async () => effectiveKey(keySources()));

  return {
    get profile() {
      return profile();
    },
    get local() {
      return local();
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
    // A promise even where it fails, as the port says.
    key: async (): Promise<KeyView | undefined> => (local() ? undefined : await apiKey()),
    apiKey,
    keySource: () => keySource(keySources()),
    profileAddresses: () =>
      Object.fromEntries(
        ADDRESSES.flatMap((name) => {
          const value = values()[name];
          return value === undefined ? [] : [[name, value]];
        }),
      ),
    profileExists: () =>
      namedProfile(flags, env) === undefined || local() || profileOf(file(), profile()) !== undefined,
  };
}

const following = (base: Resolved | undefined): Resolved | undefined => base && { ...base, source: 'base-url' };

/** Flag and environment alone. */
const none = (input: SettingsInput): Parameters<typeof resolveSetting>[1] => ({
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

/** Asked for at most once, and not before it is needed. A failure is not remembered: it ends the command. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
