import { parseAddress, storageAddressAt } from '../core/addresses.ts';
import type { SettingSource } from '../core/context.ts';
import { Failure, localFile, usage } from '../core/failure.ts';
import { parseDuration } from '../core/units.ts';
import type { ProfileValues } from './read-profiles.ts';
import { ADDRESSES, LOCAL_PROFILE, type Setting, type SettingName, settingNamed } from './settings-table.ts';

const TRUE = ['1', 'true', 'yes', 'on'];
const FALSE = ['0', 'false', 'no', 'off'];

const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const IDENTIFIER = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** Returns the normal form. `where` names the source in messages. Fails with usage (2). */
export function checkSetting(setting: Setting, text: string, where: string): string {
  switch (setting.kind) {
    case 'address':
      parseAddress(text.trim(), where);
      return text.trim();
    case 'storage-address':
      storageAddressAt(text, 'data-center', where);
      return text.trim();
    case 'duration':
      if (parseDuration(text, setting.bare, where) === 0) throw usage(`${where} must be more than 0`);
      return text.trim();
    case 'count':
      if (!/^\d{1,15}$/.test(text.trim()) || Number(text) < setting.least)
        throw usage(`${where} takes a whole number of at least ${setting.least}, not ${JSON.stringify(text)}`);
      return String(Number(text));
    case 'switch':
      return checkSwitch(setting, text, where);
    case 'choice':
      if (!setting.choices.includes(text.trim()))
        throw usage(`${where} is one of ${setting.choices.join(', ')}; ${JSON.stringify(text)} is none of them`);
      return text.trim();
    case 'profile':
      return checkProfileName(text, where);
    case 'identifier':
      if (!IDENTIFIER.test(text))
        throw usage(
          `${where} cannot begin the name of a variable: ${JSON.stringify(text)}`,
          'Use letters, digits and "_", beginning with a letter.',
        );
      return text;
    default:
      return text;
  }
}

export function valueOfSetting(setting: Setting, text: string): string | number | boolean {
  if (setting.kind === 'duration') return parseDuration(text, setting.bare, setting.name);
  return setting.kind === 'count' ? Number(text) : setting.kind === 'switch' ? text === 'true' : text;
}

export function checkProfileName(text: string, where: string): string {
  if (!PROFILE_NAME.test(text))
    throw usage(
      `${where} cannot be the name of a profile: ${JSON.stringify(text)}`,
      'Use letters, digits, ".", "_" and "-", beginning with a letter or digit.',
    );
  return text;
}

function checkSwitch(setting: Setting, text: string, where: string): string {
  // The convention of NO_COLOR: any value turns colour off.
  if (setting.variable === 'NO_COLOR') return 'true';
  const word = text.trim().toLowerCase();
  if (TRUE.includes(word)) return 'true';
  if (FALSE.includes(word)) return 'false';
  throw usage(`${where} is on or off; ${JSON.stringify(text)} is neither`, 'Write 1 or 0.');
}

export type GlobalFlags = Readonly<Record<string, string | boolean | undefined>>;

export interface Sources {
  readonly flags: GlobalFlags;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The settings of the profile in use, and its name for messages. Called only when no flag or variable is set. */
  readonly profile?: () => { readonly values: ProfileValues; readonly where: () => string };
}

export interface Resolved {
  readonly value: string;
  readonly source: SettingSource;
}

/** An empty variable counts as unset. Usage (2) for a bad flag or variable, local-file (14) for the profile. */
export function resolveSetting(setting: Setting, sources: Sources): Resolved | undefined {
  return (
    fromFlag(setting, sources.flags) ??
    fromEnvironment(setting, sources.env) ??
    fromProfile(setting, sources.profile) ??
    (setting.default === undefined ? undefined : { value: setting.default, source: 'default' })
  );
}

/** Flags before environment before file; in each: `local`, profile, address. Usage (2) on conflict. */
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
  if (!setting.inProfile || profile === undefined) return undefined;
  const { values, where } = profile();
  const given = Object.hasOwn(values, setting.name) ? values[setting.name] : undefined;
  if (given === undefined) return undefined;
  try {
    return { value: checkSetting(setting, given, `"${setting.name}" ${where()}`), source: 'profile' };
  } catch (error) {
    // `berth config set` checks before it writes, so a wrong value was written by hand: the file is at fault.
    if (error instanceof Failure) throw localFile(error.message, error.hint);
    throw error;
  }
}
