import { parseAddress, storageAddressAt } from '../core/addresses.ts';
import type { SettingSource } from '../core/context.ts';
import { Failure, localFile, usage } from '../core/failure.ts';
import { parseDuration } from '../core/units.ts';
import { ADDRESSES, LOCAL_PROFILE, SETTING, type Setting } from './settings-table.ts';

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
}

export interface Resolved {
  readonly value: string;
  readonly source: SettingSource;
}

/** By a flag, else by a variable, of which an empty one counts as unset. Usage (2) for a bad one. */
export function resolveGiven(setting: Setting, { flags, env }: Sources): Resolved | undefined {
  const { name, flag = name, variable } = setting;
  const [typed, text = ''] = [flags[name], env[variable]];
  if (typed !== undefined) return { value: checkSetting(setting, String(typed), flag), source: 'flag' };
  return text === '' ? undefined : { value: checkSetting(setting, text, variable), source: 'environment' };
}

/** By a profile. Local-file (14) for a bad value. */
export function resolveKept(setting: Setting, text: string, where: string): Resolved {
  try {
    return { value: checkSetting(setting, text, `"${setting.name}" ${where}`), source: 'profile' };
  } catch (error) {
    // `berth config set` checks before it writes, so a wrong value was written by hand: the file is at fault.
    if (error instanceof Failure) throw localFile(error.message, error.hint);
    throw error;
  }
}

/** Flags before environment before file; in each: `local`, profile, address. Usage (2) on conflict. */
export function resolveLocal({ flags, env }: Sources, current: () => string | undefined): boolean {
  const levels: readonly Sources[] = [
    { flags, env: {} },
    { flags: {}, env },
  ];
  for (const sources of levels) {
    const local = resolveGiven(SETTING.local, sources)?.value;
    const isOther = (name: string): boolean => ![undefined, LOCAL_PROFILE].includes(sources.flags[name] as string);
    const other = local === 'true' ? ['profile', ...ADDRESSES].find(isOther) : undefined;
    if (other !== undefined)
      throw usage(
        `--local and --${other} exclude each other`,
        'Each names the service that the command is for: keep one of them.',
      );
    if (local !== undefined) return local === 'true';
    const profile = namedProfile(sources);
    if (profile !== undefined) return profile === LOCAL_PROFILE;
    // An address that is not valid means a remote service too: whoever uses it reports it.
    for (const name of ADDRESSES)
      if (sources.flags[name] !== undefined || (sources.env[SETTING[name].variable] ?? '') !== '') return false;
  }
  return current() === LOCAL_PROFILE;
}

export const namedProfile = (sources: Sources): string | undefined => resolveGiven(SETTING.profile, sources)?.value;
