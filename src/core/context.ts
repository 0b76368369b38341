import type { Api, RateWindow } from './api.ts';
import type { DataText, TerminalText } from './safe-text.ts';

/** Time. All values are milliseconds. */
export interface Clock {
  /** The wall clock: milliseconds since the epoch. It may jump in either direction: use it for dates only. */
  now(): number;
  /** Time since an arbitrary start. It never goes back and no change of the wall clock affects it: use it for spans. */
  monotonic(): number;
  /** Waits for a span; an abort ends it early, and it rejects with the signal's reason. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /**
   * A signal that aborts after a span of real time, whatever moves the clock: the guard over an exchange with a peer
   * that may never answer. Cancel it when the exchange is over, or the process stays alive for it.
   */
  deadline(milliseconds: number): { readonly signal: AbortSignal; cancel(): void };
}

/** What is known of the terminal. */
export interface Terminal {
  /** stdout is a terminal: tables with borders, colour, views that redraw. */
  readonly output: boolean;
  /** stderr is a terminal: spinners, notes to a person. */
  readonly errors: boolean;
  /** A question can be asked: stdin and stderr are terminals and `--no-input` was not given. */
  readonly canAsk: boolean;
  /** Columns of the terminal; where there is none, undefined. */
  readonly columns: number | undefined;
  readonly rows: number | undefined;
  /** Columns of the terminal that stderr is; where it is none, undefined. */
  readonly errorColumns: number | undefined;
  readonly colour: { readonly output: boolean; readonly errors: boolean };
  /**
   * For whoever hides the cursor: told before the process is stopped (Ctrl-Z) or ended (Ctrl-\\) by the terminal, and
   * when it goes on. Gives what ends that.
   */
  onSuspend(hooks: SuspendHooks): () => void;
}

/** Both must do their work before they return: right after `suspend` the process stands still or is gone. */
export interface SuspendHooks {
  readonly suspend: () => void;
  readonly resume: () => void;
}

/**
 * Runs work that never yields to the event loop, in which no signal would be heard: Ctrl-C ends it with interrupted
 * (130), and a polite kill ends the process at once.
 */
export type Blocking = <T>(work: () => T) => T;

/** Where text goes. Every write resolves when the bytes are taken; a closed pipe or a full disk is a Failure. */
export interface Sink<T extends string = string> {
  write(text: T): Promise<void>;
}

/** Files of the user's: inputs and outputs named on the command line. */
export interface Files {
  /** Reads a file's bytes; `-` is stdin. Fails with local-file (14), or usage (2) where stdin is a terminal. */
  read(path: string): Promise<Uint8Array>;
  /** Writes a whole file or leaves the old one; `makeParents` makes those on the way. Fails with local-file (14). */
  write(
    path: string,
    text: string,
    options?: { readonly mode?: number; readonly makeParents?: boolean },
  ): Promise<void>;
  exists(path: string): Promise<boolean>;
}

/** A file that this process writes at its end. Every failure is local-file (14), and after one its end is not known. */
export interface AppendFile {
  /** Resolves when the system has taken every byte. Fails as `check` does, and has written nothing then. */
  append(bytes: Uint8Array): Promise<void>;
  /** Resolves when what was taken is on the disk. */
  sync(): Promise<void>;
  /** Fails where the file was removed, replaced, cut or written by somebody else: the message says which. */
  check(): Promise<void>;
  /** Cuts it to so many bytes, on the disk too. */
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

/** What a name of a file leads to. */
export interface ResolvedPath {
  /** The name as it was given; of a symbolic link to a file, or to where one can be made, that place. */
  readonly path: string;
  /** `no-folder` where not even the directory is there that it would lie in; `other` is a pipe, a device or a socket. */
  readonly kind: 'file' | 'directory' | 'other' | 'nothing' | 'no-folder';
}

/** Files that must outlast a crash. Every failure is local-file (14) and names the file. */
export interface DurableFiles {
  /** Where a name leads, links followed. Opens nothing. */
  resolvePath(path: string): Promise<ResolvedPath>;
  /** The name from the root on, links not followed. */
  absolute(path: string): string;
  /** Bytes it holds; undefined where there is none. */
  size(path: string): Promise<number | undefined>;
  /** Its bytes in pieces, from an offset on; `-` is stdin, and usage (2) where that is a terminal. */
  read(path: string, from?: number): AsyncIterable<Uint8Array>;
  /** Makes a file, mode 0600, its name on the disk too. Fails where there is one already. */
  create(path: string): Promise<AppendFile>;
  /** Opens a file that is there. */
  open(path: string): Promise<AppendFile>;
  /** Puts one file in place of another, on the disk too: afterwards the second name means the first file. */
  replace(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /**
   * Takes a lock, over from its holder where that is dead, and gives what lets go of it. Fails with the holder's pid and
   * host where that is alive. `files` are those that only the holder writes. Until it is let go of, every change fails
   * where another process has taken the lock over.
   */
  lock(path: string, files?: readonly string[]): Promise<() => Promise<void>>;
  /** The process that holds a lock; undefined where nobody does. On another machine it takes seconds to tell. */
  holder(path: string): Promise<LockHolder | undefined>;
}

export interface LockHolder {
  readonly pid: number;
  readonly host: string;
}

export interface Choice<T> {
  readonly name: string;
  readonly value: T;
  readonly description?: string;
}

/** Questions to a person. Only to be asked where `terminal.canAsk`; Ctrl-C in one is the interrupted Failure. */
export interface Prompts {
  text(
    message: string,
    options?: { readonly initial?: string; readonly check?: (value: string) => string | undefined },
  ): Promise<string>;
  /** Masked: the characters never show. */
  secret(message: string): Promise<string>;
  confirm(message: string, initial?: boolean): Promise<boolean>;
  select<T>(message: string, choices: readonly Choice<T>[]): Promise<T>;
}

/** Where a setting's value came from, for `config list`; `base-url` where it follows that. */
export type SettingSource = 'flag' | 'environment' | 'profile' | 'default' | 'base-url';

/** The settings a command may read, each in the type it is used in. `settings/table.ts` is checked against it. */
export interface SettingValues {
  readonly 'base-url': string | undefined;
  readonly 'queue-url': string | undefined;
  readonly 'rest-url': string | undefined;
  readonly 'api-key-file': string | undefined;
  readonly profile: string;
  readonly local: boolean;
  /** Milliseconds. */
  readonly timeout: number;
  readonly retries: number;
  readonly output: string | undefined;
  readonly 'max-answer-bytes': number;
  readonly 'config-dir': string | undefined;
  readonly 'data-dir': string | undefined;
  readonly 'no-input': boolean;
  readonly 'no-color': boolean;
  readonly verbose: boolean;
}

/** The settings a command may read. Addresses and the key are used by the connection, not by commands. */
export interface SettingsView {
  /** The effective value in the setting's own type. Fails with usage (2) for a bad flag or variable. */
  get<N extends keyof SettingValues>(name: N): SettingValues[N];
  /** The effective value as it was written (`30s`); undefined when none is set, and for a secret. */
  text(name: string): string | undefined;
  source(name: string): SettingSource | undefined;
  /** The profile in use. */
  readonly profile: string;
  /** True where requests go to the local service in this process. */
  readonly local: boolean;
  /** Undefined where no key is configured. Fails with denied (3) for a key that cannot be one (empty, inner newline). */
  key(): Promise<KeyView | undefined>;
}

/** A profile as it may be shown: never the key, at most its last four characters. */
export interface Profile {
  readonly name: string;
  readonly current: boolean;
  /** Settings kept in it, by setting name (`base-url`, `queue-url`, `rest-url`, ...). */
  readonly values: Readonly<Record<string, string>>;
  readonly keyTail: string | undefined;
}

/** The profiles file. Every change is written whole, under a lock, mode 0600. Fails with local-file (14). */
export interface ProfileStore {
  /** Where it lies, whether it exists or not. */
  readonly path: string;
  list(): Promise<readonly Profile[]>;
  /** Sets or (undefined) removes one setting of a profile; the profile is made if it is new. */
  set(profile: string, name: string, value: string | undefined): Promise<void>;
  setKey(profile: string, key: string | undefined): Promise<void>;
  /** Keeps settings and their key in a profile and makes it the one in use: all of it at once, or nothing. */
  logIn(profile: string, values: Readonly<Record<string, string>>, key: string): Promise<void>;
  /** Makes a profile the one used without `--profile`. */
  use(profile: string): Promise<void>;
  /** Forgets a profile and its key; false where there was none. */
  remove(profile: string): Promise<boolean>;
}

/** The key in use, as it may be shown. */
export interface KeyView {
  readonly tail: string;
  readonly source: 'environment' | 'file' | 'profile' | 'local';
}

/** A child process that shares this one's terminal. */
export interface Spawn {
  /**
   * Runs a program to its end and gives its exit code (128 + the signal's number when one ended it). It gets this
   * process's environment without keys, and `env`. Where this process ends first, however that is, the program and all
   * that it started are ended too.
   */
  run(command: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<number>;
}

/** How the local service is to be served over HTTP. */
export interface LocalServeOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** A file that keeps the state; undefined keeps it in memory. */
  readonly stateFile?: string;
  /** Endpoint name to handler module path. */
  readonly handlers: Readonly<Record<string, string>>;
  /** Requests a window, by window name; absent windows keep their defaults. */
  readonly quota?: Readonly<Partial<Record<'minute' | 'hour' | 'day', number>>>;
  readonly queueLimits: boolean;
  /** What `stream` answers: the chunks alone (where absent), or in an object with the job's status. */
  readonly streamShape?: 'array' | 'object';
  /** Lets webhooks reach other ports of this machine, and private networks. */
  readonly allowPrivateWebhooks?: boolean;
}

export interface LocalServer {
  /** `http://127.0.0.1:PORT`: one address for all three services. */
  readonly url: string;
  /** The seeded full-access key, good on this server only. */
  readonly key: string;
  stop(): Promise<void>;
}

/** Starts local services; commands reach everything else of them through the Api. */
export interface LocalHost {
  serve(options: LocalServeOptions): Promise<LocalServer>;
}

/** The rate windows last seen for this profile, remembered between commands. */
export interface RememberedLimits {
  read(): Promise<readonly RateWindow[]>;
}

/** How thousands of requests are to be sent. */
export interface BatchApiOptions {
  /** Ends what is on the wire; in place of the Context's own signal, so that Ctrl-C lets answers arrive. */
  readonly signal: AbortSignal;
  /** Told the rate windows of every answer that has them. */
  readonly onWindows: (windows: readonly RateWindow[]) => void;
}

/**
 * The world as a command sees it. There is no other way out: no global clock, environment, stream or network. Tests
 * hand in their own.
 */
export interface Context {
  readonly api: Api;
  /** An Api for thousands of requests: each is tried once, and whoever sends them keeps the pace. */
  batchApi(options: BatchApiOptions): Api;
  readonly settings: SettingsView;
  readonly profiles: ProfileStore;
  readonly clock: Clock;
  /** 0 up to, not including, 1. */
  readonly random: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  /** Data: a format made of it, or text that was made safe. */
  readonly stdout: Sink<DataText | TerminalText>;
  /** Everything said to a person. Takes only text that was made safe. */
  readonly stderr: Sink<TerminalText>;
  readonly files: Files;
  /** Loaded when it is asked for. */
  durable(): Promise<DurableFiles>;
  readonly prompts: Prompts;
  readonly spawn: Spawn;
  readonly localHost: LocalHost;
  readonly limits: RememberedLimits;
  readonly blocking: Blocking;
  /** Aborted on the first Ctrl-C or polite kill; its reason is the interrupted Failure. */
  readonly signal: AbortSignal;
  /**
   * Has the second Ctrl-C heard by a command that ends soon, in place of ending the process at once; a third one does.
   * Returns how to end it.
   */
  onSecondInterrupt(listener: () => void): () => void;
  readonly platform: string;
}
