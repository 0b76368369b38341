import { join } from 'node:path';
import type { KeyView, SettingSource, SettingsView, SettingValues } from '../core/settings.ts';
import { Failure, usage } from '../core/failure.ts';
import { type AccountWords, berth, sentence } from '../core/message.ts';
import { parseDuration } from '../core/units.ts';
import { type ApiKey, findKey, findStorageKey, hashOf, keyMark, openKey } from './keys.ts';
import { directoryOf, type DirectoryInput } from './directories.ts';
import { noProfile, profileOf, type ProfilesFile, type ProfileValues, readProfiles } from './read-profiles.ts';
import {
  type GlobalFlags,
  namedProfile,
  type Resolved,
  resolveGiven,
  resolveKept,
  resolveLocal,
  type Sources,
} from './resolve.ts';
import {
  ADDRESSES,
  DEFAULT_PROFILE,
  findSetting,
  KEY_VARIABLES,
  LOCAL_PROFILE,
  SECRET_VARIABLES,
  SETTING,
  type Setting,
  type SettingName,
  type TableValues,
} from './settings-table.ts';

/** Has the API key too. Reads the profiles file only if needed; if broken, defaults apply, and address or key: local-file (14). */
export class Settings implements SettingsView {
  readonly #place: DirectoryInput;
  readonly #given: Sources;
  readonly #readKeyFile: (path: string) => Promise<string>;
  readonly #isNamedByFlag: boolean;
  // What was found once; a failure is not kept.
  #readFile: ProfilesFile | undefined;
  #isLocal: boolean | undefined;
  #keptValues: ProfileValues | undefined;
  #markAtStart: string | undefined;
  #apiKey: Promise<ApiKey | undefined> | undefined;

  constructor(place: DirectoryInput, flags: GlobalFlags, readKeyFile = (_: string) => Promise.resolve('')) {
    this.#place = place;
    this.#given = { flags, env: place.env };
    this.#readKeyFile = readKeyFile;
    this.#isNamedByFlag = flags['profile'] !== undefined;
  }

  get profilesPath(): string {
    return join(directoryOf('config', this.#place), 'config.json');
  }

  get dataDirectory(): string {
    return directoryOf('data', this.#place);
  }

  get #file(): ProfilesFile {
    return (this.#readFile ??= readProfiles(this.profilesPath, this.#place.user));
  }

  get local(): boolean {
    return (this.#isLocal ??= resolveLocal(this.#given, () => this.#file.current));
  }

  get profile(): string {
    if (this.local) return LOCAL_PROFILE;
    const chosen = namedProfile(this.#given) ?? this.#file.current;
    // The file names the local profile, but a flag or variable gives an address: that has priority over the file.
    return chosen === undefined || chosen === LOCAL_PROFILE ? DEFAULT_PROFILE : chosen;
  }

  /** What the profile in use keeps. */
  get #values(): ProfileValues {
    return (this.#keptValues ??= this.local ? {} : (profileOf(this.#file, this.profile) ?? {}));
  }

  #keeps(...members: readonly string[]): boolean {
    const values = this.#values;
    return members.some((name) => values[name] !== undefined);
  }

  /** With `--profile`, its stored addresses and key replace the variables: a key belongs to its addresses. */
  get #givenForAccount(): Sources {
    const { flags, env } = this.#given;
    if (flags['profile'] === undefined || this.local) return this.#given;
    const addresses = ADDRESSES.map((name) => SETTING[name].variable);
    const dropped = [
      ...(this.#keeps(...ADDRESSES) ? addresses : []),
      ...(this.#keeps('api-key') ? SECRET_VARIABLES : []),
    ];
    return { flags, env: Object.fromEntries(Object.entries(env).filter(([name]) => !dropped.includes(name))) };
  }

  /** A key of the environment must not go to the addresses of a profile that is named. Fails with usage (2), saying what to drop. */
  #checkEnvironmentKey(): void {
    const { env, flags } = this.#given;
    const variable = KEY_VARIABLES.find((name) => (env[name] ?? '') !== '');
    if (variable === undefined || this.local) return;
    const name = this.profile;
    const key = this.#isNamedByFlag ? undefined : orUndefined(() => this.#values)?.['api-key'];
    if (this.#isNamedByFlag && this.#keeps(...ADDRESSES) && !this.#keeps('api-key') && flags['base-url'] === undefined)
      throw usage(
        `profile "${name}" keeps addresses and no key, and ${variable} is not known to be a key for them`,
        sentence`Keep its key: ${berth`auth login --profile ${name}`}. Or, where ${variable} is for it, set BERTH_PROFILE=${name} beside it and drop --profile.`,
      );
    if (key !== undefined && env[variable]?.trim() !== key)
      throw usage(
        `${variable} is set, and profile "${name}", which BERTH_PROFILE names, keeps a key of its own`,
        `Unset ${variable} to use the profile's key, or unset BERTH_PROFILE. With --profile ${name} the profile's key is used.`,
      );
  }

  /** Usage (2) for a bad flag or variable, local-file (14) for a bad value of the profile, which is read only where they have none. */
  resolve(name: SettingName): Resolved | undefined {
    const setting = SETTING[name];
    if (setting.derived === true) return this.#derived(setting);
    const isOfAccount = setting.kind === 'address' || setting.secret;
    const given = resolveGiven(setting, isOfAccount ? this.#givenForAccount : this.#given);
    if (given !== undefined) return given;
    const text = setting.inProfile ? this.#kept(setting)[name] : undefined;
    if (text !== undefined) return resolveKept(setting, text, this.#where());
    if (setting.default !== undefined) return { value: setting.default, source: 'default' };
    // One address often serves both. It is not stored, so that it follows a base address that changes.
    const base = name === 'queue-url' ? this.resolve('base-url') : undefined;
    return base && { ...base, source: 'base-url' };
  }

  #derived(setting: Setting): Resolved {
    const rest = setting.name === 'profile' && this.#file.current !== undefined ? 'profile' : 'default';
    const source = resolveGiven(setting, this.#given)?.source ?? rest;
    if (setting.name === 'profile') return { value: this.profile, source };
    if (setting.name === 'local') return { value: String(this.local), source };
    return { value: directoryOf(setting.name === 'data-dir' ? 'data' : 'config', this.#place), source };
  }

  readonly #where = (): string => `of profile "${this.profile}" in ${this.profilesPath}`;

  #kept(setting: Setting): ProfileValues {
    const isForLocal = setting.appliesToLocal === true && this.local;
    const fails = setting.failsWithFile ?? (setting.default === undefined && setting.kind !== 'choice');
    try {
      if (isForLocal)
        return profileOf(this.#file, namedProfile(this.#given) ?? this.#file.current ?? DEFAULT_PROFILE) ?? {};
      // With a base address from a flag or a variable, no address of the profile is used: its other ones may be of another service.
      const base = setting.kind === 'address' ? resolveGiven(SETTING['base-url'], this.#givenForAccount) : undefined;
      return base === undefined ? this.#values : {};
    } catch (error) {
      if (error instanceof Failure && (isForLocal || !fails)) return {};
      throw error;
    }
  }

  get<N extends keyof SettingValues>(name: N): SettingValues[N] {
    const setting = SETTING[name];
    const text = this.resolve(name)?.value;
    let value: string | number | boolean | undefined = text;
    if (setting.kind === 'switch') value = text === 'true';
    else if (text !== undefined && setting.kind === 'count') value = Number(text);
    else if (text !== undefined && setting.kind === 'duration') value = parseDuration(text, setting.bare, name);
    return value as TableValues[N];
  }

  text(name: string): string | undefined {
    const setting = findSetting(name);
    return setting === undefined || setting.secret ? undefined : this.resolve(setting.name)?.value;
  }

  source(name: string): SettingSource | undefined {
    const setting = findSetting(name);
    return setting && this.resolve(setting.name)?.source;
  }

  #findKey(inProfile = () => this.#values['api-key']): ReturnType<typeof findKey> {
    if (namedProfile(this.#given) !== undefined) this.#checkEnvironmentKey();
    return findKey({ env: this.#givenForAccount.env, inProfile, where: this.#where });
  }

  // Async, so that a failure becomes a rejection.
  async key(): Promise<KeyView | undefined> {
    return this.local ? undefined : await this.apiKey();
  }

  /** The key itself. `again` reads a key file or a profile that has changed since. Fails like `key`. */
  async apiKey(again = false): Promise<ApiKey | undefined> {
    if (again && this.#apiKey !== undefined) {
      const found = this.#findKeyNow();
      if (keyMark(found) !== this.#markAtStart) return await openKey(found, this.#readKeyFile);
    }
    // Read once, because a pipe can be read only once.
    if (this.#apiKey === undefined) {
      const found = this.#findKey();
      this.#markAtStart = keyMark(found);
      this.#apiKey = openKey(found, this.#readKeyFile);
    }
    return await this.#apiKey;
  }

  /** The key of a profile with other addresses is for these alone. */
  #findKeyNow(): ReturnType<typeof findKey> {
    const kept = profileOf(readProfiles(this.profilesPath, this.#place.user), this.profile) ?? {};
    const isForOthers = ADDRESSES.some((name) => kept[name] !== this.#values[name]);
    return this.#findKey(() => (isForOthers ? undefined : kept['api-key']));
  }

  storageKey(): ReturnType<typeof findStorageKey> {
    return findStorageKey(this.#givenForAccount.env, () => this.#values);
  }

  /** Opens no key file. Fails like `key` when the key must not be used with the profile. */
  keySource(): KeyView['source'] | undefined {
    return this.#findKey()?.source;
  }

  /** Address and a hash of the key; undefined if either is missing. Opens no key file. Fails like `keySource`. */
  account(): string | undefined {
    if (this.local) return LOCAL_PROFILE;
    const mark = keyMark(this.#findKey());
    return this.#accountBy(mark && hashOf(mark));
  }

  /** The same by the key alone: wherever it is kept, it is the same account. Reads a key file. Fails like `key`. */
  async accountOfKey(): Promise<string | undefined> {
    return this.local ? LOCAL_PROFILE : this.#accountBy((await this.apiKey())?.mark);
  }

  #accountBy(mark: string | undefined): string | undefined {
    const address = this.resolve('base-url')?.value;
    return address === undefined || mark === undefined ? undefined : `${address} ${mark}`;
  }

  /** True when a flag or variable gives another address or key than the stored profile in use. Fails like `keySource`. */
  get isProfileOverridden(): boolean {
    return (
      !this.local &&
      profileOf(this.#file, this.profile) !== undefined &&
      (isGiven(this.resolve('base-url')) || this.keySource() !== 'profile')
    );
  }

  /** The addresses stored in the profile in use. A key stored there is sent only to these. */
  profileAddresses(): Readonly<Record<string, string>> {
    const isAddress = ([name]: readonly [string, string]): boolean => ADDRESSES.some((each) => each === name);
    return Object.fromEntries(Object.entries(this.#values).filter(isAddress));
  }

  /** Fails with usage (2) when a flag or variable names a profile that is not in the file. */
  requireProfile(): void {
    const { profiles } = this.#file;
    if (namedProfile(this.#given) !== undefined && !this.local && !Object.hasOwn(profiles, this.profile))
      throw noProfile(this.profile, Object.keys(profiles), this.profilesPath);
  }

  /** For another shell with the same home and key. A key has no flag; a refused value is left out. */
  get accountWords(): AccountWords {
    if (this.#usable('local')?.value === 'true') return { account: ['--local'], storage: [] };
    const profile = this.#usable('profile');
    const name = isGiven(profile) && namedProfile(this.#given) === profile.value ? profile.value : undefined;
    const isElsewhere = orUndefined(() => this.#file.current) === LOCAL_PROFILE;
    const found = ADDRESSES.map((each) => [each, this.#usable(each)] as const);
    const isKept = orUndefined(() => this.#keeps(...ADDRESSES, 'api-key')) === true;
    // The only service that the shell knows needs no words.
    const isOnlyService =
      name === undefined && !isElsewhere && !isKept && found.every(([, each]) => each?.source !== 'flag');
    // A variable's key goes to the addresses of BERTH_PROFILE: `--profile` alone would be refused.
    const isKeyBeside =
      !this.#isNamedByFlag &&
      name !== undefined &&
      orUndefined(() => !this.#keeps('api-key') && this.keySource() !== undefined) === true;
    const addresses = found.filter(([, each]) => !isOnlyService && (isKeyBeside || isGiven(each)));
    // An address on the command line means a remote service already.
    const chosen = name ?? (addresses.length === 0 && isElsewhere ? profile?.value : undefined);
    const storage = this.#usable('storage-url');
    const isSaid = storage?.source === 'flag' || (!isOnlyService && isGiven(storage));
    return {
      account: [...flagWords('profile', chosen), ...addresses.flatMap(([each, of]) => flagWords(each, of?.value))],
      storage: isSaid ? flagWords('storage-url', storage.value) : [],
    };
  }

  #usable(name: SettingName): Resolved | undefined {
    return orUndefined(() => this.resolve(name));
  }
}

const isGiven = (found: Resolved | undefined): found is Resolved =>
  found?.source === 'flag' || found?.source === 'environment';

const flagWords = (name: string, value: string | undefined): readonly string[] =>
  value === undefined ? [] : [`--${name}`, value];

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
