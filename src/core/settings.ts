import type { AccountWords } from './message.ts';
import type { Milliseconds } from './unit-types.ts';

export type SettingSource = 'flag' | 'environment' | 'profile' | 'default' | 'base-url';

type Texts =
  | 'base-url'
  | 'queue-url'
  | 'rest-url'
  | 'storage-url'
  | 'api-key-file'
  | 'worker-prefix'
  | 'secret-names'
  | 'secret-prefix'
  | 'notify'
  | 'config-dir'
  | 'data-dir';
type Spans = 'pods-stop-after' | 'pods-terminate-after';
type Switches = 'local' | 'no-input' | 'quiet' | 'no-color' | 'verbose';

/** The compiler checks `settings/settings-table.ts` against it. */
export type SettingValues = Readonly<
  Record<Texts, string | undefined> & Record<Spans, Milliseconds | undefined> & Record<Switches, boolean>
> & {
  readonly profile: string;
  readonly timeout: Milliseconds;
  readonly retries: number;
  readonly access: 'read' | 'write' | 'full';
  readonly output: OutputFormat | undefined;
  readonly 'max-answer-bytes': number;
  readonly guard: 'off' | 'warn';
};

export interface SettingsView {
  /** Fails with usage (2) for a bad flag or variable, local-file (14) for a bad profile value. */
  get<N extends keyof SettingValues>(name: N): SettingValues[N];
  /** Returns the effective value as it was written (`30s`); undefined when none is set, and for a secret. */
  text(name: string): string | undefined;
  source(name: string): SettingSource | undefined;
  readonly profile: string;
  readonly profilesPath: string;
  readonly local: boolean;
  readonly accountWords: AccountWords;
  /** Undefined when no key is configured. Fails with denied (3) for an invalid key (empty, or with an inner newline). */
  key(): Promise<KeyView | undefined>;
}

export interface StorageKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface KeyView {
  readonly tail: string;
  readonly source: 'environment' | 'file' | 'profile' | 'local';
}

/** A profile as it may be shown: never the key, at most its last four characters. */
export interface Profile {
  readonly name: string;
  readonly current: boolean;
  readonly values: Readonly<Record<string, string>>;
  readonly keyTail: string | undefined;
}

/** The profiles file. Every change writes the whole file under a lock with mode 0600. Fails with local-file (14). */
export interface ProfileStore {
  list(): Promise<readonly Profile[]>;
  /** Undefined removes the setting. Creates a new profile. */
  set(profile: string, name: string, value: string | undefined): Promise<void>;
  aliases(): Promise<Readonly<Record<string, string>>>;
  setAlias(name: string, text: string | undefined): Promise<void>;
  setKey(profile: string, key: string | undefined): Promise<void>;
  /** Returns whether there was one. Fails with denied (3) for a key that no request can carry. */
  setStorageKey(profile: string, key: StorageKey | undefined, url?: string): Promise<boolean>;
  /** Stores settings and their key in a profile and makes it the current one: all in one write. */
  logIn(profile: string, values: Readonly<Record<string, string>>, key: string): Promise<void>;
  use(profile: string): Promise<void>;
  remove(profile: string): Promise<boolean>;
}

export const OUTPUT_FORMATS = ['table', 'wide', 'json', 'jsonl', 'yaml', 'csv', 'id'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];
