import type { AccountWords } from './account-words.ts';
import type { OutputFormat } from './output-formats.ts';
import type { Milliseconds } from '../unit-types.ts';

/** Where a setting's value came from, for `config list`. `base-url`: it follows that setting. */
export type SettingSource = 'flag' | 'environment' | 'profile' | 'default' | 'base-url';

/** The settings a command may read, each in the type it is used in. The compiler checks `settings/settings-table.ts` against it. */
export interface SettingValues {
  readonly 'base-url': string | undefined;
  readonly 'queue-url': string | undefined;
  readonly 'rest-url': string | undefined;
  readonly 'storage-url': string | undefined;
  readonly 'api-key-file': string | undefined;
  readonly profile: string;
  readonly local: boolean;
  readonly timeout: Milliseconds;
  readonly retries: number;
  readonly access: 'read' | 'write' | 'full';
  readonly output: OutputFormat | undefined;
  readonly 'max-answer-bytes': number;
  readonly 'worker-prefix': string | undefined;
  readonly 'secret-names': string | undefined;
  readonly 'secret-prefix': string | undefined;
  readonly 'pods-stop-after': Milliseconds | undefined;
  readonly 'pods-terminate-after': Milliseconds | undefined;
  readonly guard: 'off' | 'warn';
  readonly 'config-dir': string | undefined;
  readonly 'data-dir': string | undefined;
  readonly 'no-input': boolean;
  readonly quiet: boolean;
  readonly 'no-color': boolean;
  readonly verbose: boolean;
}

/** The effective settings. The connection uses the addresses and the key; commands only show them. */
export interface SettingsView {
  /**
   * Returns the effective value in the setting's own type. Fails with usage (2) for a bad flag or variable, and with
   * local-file (14) for a bad value in the profile.
   */
  get<N extends keyof SettingValues>(name: N): SettingValues[N];
  /** Returns the effective value as it was written (`30s`); undefined when none is set, and for a secret. */
  text(name: string): string | undefined;
  source(name: string): SettingSource | undefined;
  /** The profile in use. */
  readonly profile: string;
  /** True when requests go to the local service in this process. */
  readonly local: boolean;
  /** The words that choose the account, such as `--profile other`, for commands that are printed. */
  readonly accountWords: AccountWords;
  /** Undefined when no key is configured. Fails with denied (3) for an invalid key (empty, or with an inner newline). */
  key(): Promise<KeyView | undefined>;
}

/** The key of the files on volumes. Never printed. */
export interface StorageKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The key in use, as it may be shown. */
export interface KeyView {
  readonly tail: string;
  readonly source: 'environment' | 'file' | 'profile' | 'local';
}

/** A profile as it may be shown: never the key, at most its last four characters. */
export interface Profile {
  readonly name: string;
  readonly current: boolean;
  /** The settings stored in it, by setting name (`base-url`, `queue-url`, `rest-url`, ...). */
  readonly values: Readonly<Record<string, string>>;
  readonly keyTail: string | undefined;
}

/** The profiles file. Every change writes the whole file under a lock with mode 0600. Fails with local-file (14). */
export interface ProfileStore {
  /** Path of the file, whether it exists or not. */
  readonly path: string;
  list(): Promise<readonly Profile[]>;
  /** Sets or (undefined) removes one setting of a profile. Creates the profile when it is new. */
  set(profile: string, name: string, value: string | undefined): Promise<void>;
  /** What each alias of the user stands for. Aliases belong to no profile. */
  aliases(): Promise<Readonly<Record<string, string>>>;
  /** Sets or (undefined) removes an alias. */
  setAlias(name: string, text: string | undefined): Promise<void>;
  setKey(profile: string, key: string | undefined): Promise<void>;
  /**
   * Sets or (undefined) removes the key of the files on volumes, with the address that it is for where one is given. Returns
   * whether there was one. Fails with denied (3) for a key that no request can carry.
   */
  setStorageKey(profile: string, key: StorageKey | undefined, url?: string): Promise<boolean>;
  /** Stores settings and their key in a profile and makes it the current one: all in one write. */
  logIn(profile: string, values: Readonly<Record<string, string>>, key: string): Promise<void>;
  /** Makes a profile the one used without `--profile`. */
  use(profile: string): Promise<void>;
  /** Removes a profile and its key. Returns false when there was none. */
  remove(profile: string): Promise<boolean>;
}
