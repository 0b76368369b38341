import { berth, sentence } from '../core/message.ts';
import { usage } from '../core/failure.ts';
import type { ProfileValues } from './read-profiles.ts';
import { ADDRESSES, KEY_VARIABLES, SECRET_VARIABLES, findSetting } from './settings-table.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A profile that a flag or a variable names, and the settings stored in it. */
export interface NamedProfile {
  readonly name: string;
  readonly by: 'flag' | 'environment';
  readonly values: () => ProfileValues;
}

/**
 * Returns the environment without the variables that the named profile replaces, because a key and its addresses belong
 * together. With `--profile`, the addresses and the key stored in the profile have priority over the variables.
 */
export function environmentBeside(named: NamedProfile | undefined, env: Environment): Environment {
  if (named?.by !== 'flag') return env;
  const dropped = [...(hasAddress(named) ? ADDRESS_VARIABLES : []), ...(hasKey(named) ? SECRET_VARIABLES : [])];
  return Object.fromEntries(Object.entries(env).filter(([name]) => !dropped.includes(name)));
}

/**
 * Refuses a key from the environment that might belong to other addresses. Fails with usage (2) and says what to drop:
 * with `--profile`, when the profile has addresses and no key; with BERTH_PROFILE, when the profile has another key. A
 * `--base-url` beside `--profile` says what the key of the environment is for: no address of the profile is used then.
 */
export function checkEnvironmentKey(named: NamedProfile | undefined, env: Environment, isAddressGiven: boolean): void {
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
