import type { AccountWords } from '../core/ports/account-words.ts';
import { Failure } from '../core/failure.ts';
import type { Resolved } from './resolve.ts';
import { ADDRESSES, settingNamed, type SettingName } from './settings-table.ts';

/** What chose the account of a run. Each function fails as the settings do. */
export interface ChosenAccount {
  readonly isLocal: () => boolean;
  /** The profile that a flag or a variable names and that is in use; undefined where none is named. */
  readonly named: () => string | undefined;
  /** The profile whose settings are in use; undefined where no profile is kept, so that there is none to name. */
  readonly profile: () => string | undefined;
  /** Whether a command line without flags would be for the local service, by the profiles file. */
  readonly isLocalElsewhere: () => boolean;
  /**
   * Whether the key of a variable is sent to the addresses of a profile that BERTH_PROFILE names: `--profile` alone would be
   * refused beside that key.
   */
  readonly isKeyBeside: () => boolean;
  /** Whether the profile in use keeps an address or a key. */
  readonly isKept: () => boolean;
  readonly resolved: (name: SettingName) => Resolved | undefined;
}

/**
 * The words with which a command that is printed acts on the account, the addresses and the storage of this run, in another
 * shell with the same home and the same key. A key has no flag, so it stays in its variable. A value that is refused is left out.
 * So are the addresses of variables where nothing else chooses a service: without them, such a command is sent nowhere.
 */
export function accountWords(chosen: ChosenAccount): AccountWords {
  const profile = profileWords(orUndefined(chosen.profile));
  if (orUndefined(chosen.isLocal) === true)
    return { account: [settingNamed('local').flag ?? ''], addresses: [], profile, storage: [] };
  const named = orUndefined(chosen.named);
  const isLocalElsewhere = orUndefined(chosen.isLocalElsewhere) === true;
  const isOfShell = ADDRESSES.every((name) => orUndefined(() => chosen.resolved(name))?.source !== 'flag');
  const isOnlyService = named === undefined && isOfShell && !isLocalElsewhere && orUndefined(chosen.isKept) !== true;
  const addresses = isOnlyService ? [] : addressWords(chosen);
  const storage = orUndefined(() => chosen.resolved('storage-url'))?.source;
  // An address on the command line means a remote service already.
  const isHidden = named === undefined && addresses.length === 0 && isLocalElsewhere;
  return {
    account: isHidden ? profile : profileWords(named),
    addresses,
    profile,
    storage: isOnlyService && storage !== 'flag' ? [] : wordsOf(chosen, 'storage-url'),
  };
}

function addressWords(chosen: ChosenAccount): readonly string[] {
  const base = orUndefined(() => chosen.resolved('base-url')?.value);
  if (base !== undefined && orUndefined(chosen.isKeyBeside) === true)
    return ADDRESSES.flatMap((name) => flagWords(name, orUndefined(() => chosen.resolved(name))?.value));
  return ADDRESSES.flatMap((name) => wordsOf(chosen, name, base));
}

/** A setting as a flag, where a flag or a variable gave it. The queue of a variable follows the base address without a flag. */
function wordsOf({ resolved }: ChosenAccount, name: SettingName, base?: string): readonly string[] {
  const found = orUndefined(() => resolved(name));
  const follows = name === 'queue-url' && found?.source === 'environment' && found.value === base;
  return (found?.source === 'flag' || found?.source === 'environment') && !follows ? flagWords(name, found.value) : [];
}

const profileWords = (name: string | undefined): readonly string[] => flagWords('profile', name);

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
