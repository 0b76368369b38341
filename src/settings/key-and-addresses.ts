import { usage } from '../core/failure.ts';
import type { ProfileValues } from './read-profiles.ts';
import { ADDRESSES, KEY_VARIABLES, findSetting } from './table.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A profile that a flag or a variable names, and what it keeps. */
export interface NamedProfile {
  readonly name: string;
  readonly by: 'flag' | 'environment';
  readonly values: () => ProfileValues;
}

/**
 * The environment as far as it may speak for addresses and keys beside a profile that is named: a key and its addresses
 * belong together. Behind `--profile` the addresses and the key that the profile keeps win over the variables.
 */
export function environmentBeside(named: NamedProfile | undefined, env: Environment): Environment {
  if (named?.by !== 'flag') return env;
  const dropped = [...(keepsAddress(named) ? ADDRESS_VARIABLES : []), ...(keepsKey(named) ? KEY_VARIABLES : [])];
  return Object.fromEntries(Object.entries(env).filter(([name]) => !dropped.includes(name)));
}

/**
 * Refuses a key of the environment that would go to addresses it is not known to be for. Fails with usage (2), naming
 * what to drop: behind `--profile`, where the profile keeps addresses and no key; beside BERTH_PROFILE, where the profile
 * keeps another key.
 */
export function checkKeyOf(named: NamedProfile | undefined, env: Environment): void {
  const variable = KEY_VARIABLES.find((name) => env[name] !== undefined && env[name] !== '');
  if (named === undefined || variable === undefined) return;
  const { name, by, values } = named;
  if (by === 'flag' && keepsAddress(named) && !keepsKey(named))
    throw usage(
      `profile "${name}" keeps addresses and no key, and ${variable} is not known to be a key for them`,
      `Keep its key: berth auth login --profile ${name}. Or, where ${variable} is for it, set BERTH_PROFILE=${name} beside it and drop --profile.`,
    );
  if (by === 'environment' && keepsKey(named) && env[variable]?.trim() !== values()['api-key'])
    throw usage(
      `${variable} is set, and profile "${name}", which BERTH_PROFILE names, keeps a key of its own`,
      `Unset ${variable} to use the profile's key, or unset BERTH_PROFILE. With --profile ${name} the profile's key is used.`,
    );
}

const ADDRESS_VARIABLES: readonly string[] = ADDRESSES.map((name) => findSetting(name)?.variable ?? '');

const keepsAddress = ({ values }: NamedProfile): boolean => ADDRESSES.some((name) => values()[name] !== undefined);
const keepsKey = ({ values }: NamedProfile): boolean => values()['api-key'] !== undefined;
