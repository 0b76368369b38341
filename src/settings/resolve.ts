import type { SettingSource } from '../core/context.ts';
import { Failure, localFile, usage } from '../core/failure.ts';
import { checkSetting } from './check-setting.ts';
import type { ProfileValues } from './read-profiles.ts';
import { ADDRESSES, LOCAL_PROFILE, settingNamed, type Setting, type SettingName } from './settings-table.ts';

/** The global flags as given, by setting name: text, or true for a switch. */
export type GlobalFlags = Readonly<Record<string, string | boolean | undefined>>;

export interface Sources {
  readonly flags: GlobalFlags;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The settings of the profile in use, and its name for messages. Called only when no flag or variable is set. */
  readonly profile: () => { readonly values: ProfileValues; readonly where: string };
}

export interface Resolved {
  readonly value: string;
  readonly source: SettingSource;
}

/**
 * Returns a setting's value and its source: flag, environment, profile, default. An empty variable counts as unset.
 * Fails with usage (2) for a bad flag or variable, with local-file (14) for a bad value in the profile.
 */
export function resolveSetting(setting: Setting, sources: Sources): Resolved | undefined {
  return (
    fromFlag(setting, sources.flags) ??
    fromEnvironment(setting, sources.env) ??
    fromProfile(setting, sources.profile) ??
    (setting.default === undefined ? undefined : { value: setting.default, source: 'default' })
  );
}

/**
 * Whether to use the local service. The flags decide, then the environment, then the profiles file. In each of them the
 * setting `local` has priority, then the name of a profile, then an address, which means a remote service. `current`
 * returns the profile that the file names. Fails with usage (2) for flags that name the local service and another one.
 */
export function resolveLocal(flags: GlobalFlags, env: Sources['env'], current: () => string | undefined): boolean {
  const isFlag = (name: SettingName): boolean => flags[name] !== undefined;
  const isVariable = (name: SettingName): boolean => (env[settingNamed(name).variable ?? ''] ?? '') !== '';
  const levels = [
    { level: (name: SettingName) => fromFlag(settingNamed(name), flags), isGiven: isFlag },
    { level: (name: SettingName) => fromEnvironment(settingNamed(name), env), isGiven: isVariable },
  ];
  refuseTwoServices(flags);
  for (const { level, isGiven } of levels) {
    const local = level('local');
    if (local) return local.value === 'true';
    const profile = level('profile');
    if (profile) return profile.value === LOCAL_PROFILE;
    // An address that is not valid means a remote service too: whoever uses it reports it.
    if (ADDRESSES.some(isGiven)) return false;
  }
  return current() === LOCAL_PROFILE;
}

function refuseTwoServices(flags: GlobalFlags): void {
  if (fromFlag(settingNamed('local'), flags)?.value !== 'true') return;
  const profile = fromFlag(settingNamed('profile'), flags)?.value;
  const other = ADDRESSES.find((name) => flags[name] !== undefined);
  const flag = profile === undefined || profile === LOCAL_PROFILE ? other : 'profile';
  if (flag !== undefined)
    throw usage(
      `--local and --${flag} exclude each other`,
      'Each names the service that the command is for: keep one of them.',
    );
}

/** The profile that a flag or variable names. Fails with usage (2) for an invalid name. */
export const namedProfile = (flags: GlobalFlags, env: Sources['env']): string | undefined =>
  (fromFlag(settingNamed('profile'), flags) ?? fromEnvironment(settingNamed('profile'), env))?.value;

function fromFlag(setting: Setting, flags: GlobalFlags): Resolved | undefined {
  const given = flags[setting.name];
  if (given === undefined) return undefined;
  return { value: checkSetting(setting, String(given), setting.flag ?? setting.name), source: 'flag' };
}

function fromEnvironment(setting: Setting, env: Sources['env']): Resolved | undefined {
  if (setting.variable === undefined) return undefined;
  const given = env[setting.variable];
  if (given === undefined || given === '') return undefined;
  return { value: checkSetting(setting, given, setting.variable), source: 'environment' };
}

function fromProfile(setting: Setting, profile: Sources['profile']): Resolved | undefined {
  if (!setting.inProfile) return undefined;
  const { values, where } = profile();
  const given = Object.hasOwn(values, setting.name) ? values[setting.name] : undefined;
  if (given === undefined) return undefined;
  try {
    return { value: checkSetting(setting, given, `"${setting.name}" ${where}`), source: 'profile' };
  } catch (error) {
    // `berth config set` checks before it writes, so a wrong value was written by hand: the file is at fault.
    if (error instanceof Failure) throw localFile(error.message, error.hint);
    throw error;
  }
}
