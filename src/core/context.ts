import type { Api, BatchApi, BatchApiOptions, RateWindow } from './api.ts';
import type { Archives, Files, RangeFiles, VolumeFiles, VolumePlace } from './file-ports.ts';
import type { HeldLock } from './files.ts';
import type { JsonObject } from './json.ts';
import type { AccountDocument, RememberedJobs, RememberedLists } from './remembered.ts';
import type { DataText, TerminalText } from './safe-text.ts';
import type { ProfileStore, SettingsView, StorageKey } from './settings.ts';
import type { EpochMs, Milliseconds } from './unit-types.ts';

export type * from './file-ports.ts';
export type * from './settings.ts';

/** All a command may use from outside: no global clock, environment, stream or network. Tests replace it. */
export interface Context {
  /** One for all requests of a command. Its code is loaded with the first of them. */
  openApi(): Promise<Api>;
  /** Opens an Api for thousands of requests. It sends each request once; the caller throttles and retries. */
  batchApi(options: BatchApiOptions): Promise<BatchApi>;
  loginApi(options: { readonly base: string; readonly key: string }): Promise<Api>;
  /** Call before the addresses of pods are read. Does nothing when requests go to another service. */
  openLocalPods(): Promise<void>;
  readonly settings: SettingsView;
  readonly profiles: ProfileStore;
  readonly clock: Clock;
  readonly random: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** HOME, where this user is root and HOME belongs to another user. */
  foreignHome(): string | undefined;
  readonly terminal: Terminal;
  readonly stdout: Sink<DataText | TerminalText>;
  /** Takes the content of files, as it is; on a terminal its control characters are shown and not obeyed. */
  readonly rawOutput: { write(bytes: Uint8Array): Promise<void> };
  /** The streams of a program that ran elsewhere, as it wrote them. Fails as `stdout` does. */
  readonly programOutput: Readonly<Record<'out' | 'err', (bytes: Uint8Array) => Promise<void>>>;
  readonly stderr: Sink<TerminalText>;
  readonly files: Files;
  durable(): Promise<RangeFiles>;
  archives(): Promise<Archives>;
  volumeFiles(place: VolumePlace): Promise<VolumeFiles>;
  readonly prompts: Prompts;
  readonly spawn: Spawn;
  readonly localHost: LocalHost;
  contractSchemas(): Promise<Readonly<Record<string, JsonObject>>>;
  /** To https, or this machine: without the key, no redirects, three tries. Fails with unavailable (7), and usage (2). */
  web(request: { readonly method: 'GET' | 'POST'; readonly url: string; readonly body?: string }): Promise<string>;
  readonly runAgain: RunAgain;
  readonly limits: { read(): Promise<readonly RateWindow[]> };
  readonly lists: RememberedLists;
  readonly jobs: RememberedJobs;
  readonly guard: AccountDocument;
  /** Of one work of the account at a time on this machine; `onWait` gets who holds it. Fails with local-file (14). */
  readonly accountLock: (work: string, onWait: (holder: string) => Promise<void>) => Promise<Pick<HeldLock, 'release'>>;
  readonly blocking: Blocking;
  /** Aborted on the first Ctrl-C or SIGTERM; its reason is the interrupted Failure. */
  readonly signal: AbortSignal;
  /** Replaces the exit on the second Ctrl-C; a third one ends the process. Returns a remover. */
  onSecondInterrupt(listener: () => void): () => void;
  readonly platform: string;
}

/** Runs another command line of berth in this process. Returns its exit code and what it wrote on stdout. */
export type RunAgain = (
  argv: readonly string[],
  options: {
    readonly env: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
    readonly onError: (text: string) => void;
  },
) => Promise<{ readonly code: number; readonly out: string }>;

export interface Clock {
  /** The wall clock. It may jump forward or back: use it only for dates. */
  now(): EpochMs;
  /** Time since an arbitrary start, which never goes back: use it for spans. */
  monotonic(): Milliseconds;
  /** Rejects with the signal's reason at its abort. */
  sleep(milliseconds: Milliseconds, signal?: AbortSignal): Promise<void>;
  /** Real time, even when the clock is moved. Call what it returns at the end: it keeps the process alive. */
  deadline(milliseconds: Milliseconds, onOver: () => void): () => void;
}

export interface LocalServeOptions {
  readonly port: number;
  readonly stateFile?: string;
  readonly endpoints: Readonly<Record<string, string | undefined>>;
  readonly python?: string | undefined;
  readonly workerPrefix?: string | undefined;
  /** Replaces the workers of an endpoint when a file changes beside its handler. */
  readonly reload?: boolean;
  /** Requests per window, by window name; windows not named keep their defaults. */
  readonly quota?: Readonly<Partial<Record<'minute' | 'hour' | 'day', number>>>;
  readonly queueLimits: boolean;
  /** What `stream` answers: the chunks alone (`array`, the default), or an object with the job's status and the chunks. */
  readonly streamShape?: 'array' | 'object';
  readonly pageSize?: number | undefined;
  readonly secretPrefix?: string | undefined;
  /** What the key of a pod may do: nothing (default), or read and stop that pod. */
  readonly podKeys?: 'refused' | 'own' | undefined;
  readonly allowPrivateWebhooks?: boolean;
}

/** The key has full access, to local services only. */
export type LocalAddress = Readonly<{ url: string; key: string; secretPrefix: string; storageKey: StorageKey }>;

export interface LocalServer extends LocalAddress {
  stop(): Promise<void>;
}

export interface LocalHost {
  serve(options: LocalServeOptions): Promise<LocalServer>;
  servedAt(url: string): Promise<LocalAddress>;
  servePage(options: PageOptions): Promise<Pick<LocalServer, 'url' | 'stop'>>;
}

export interface PageOptions {
  readonly address: string;
  readonly port: number;
  readonly path: string;
  readonly type: string;
  readonly page: () => Promise<string>;
}

export interface ProgramStreams {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: AsyncIterable<Uint8Array>;
  /** No more is read until it resolves. */
  readonly onOutput: (bytes: Uint8Array) => void | Promise<void>;
  readonly onError: (bytes: Uint8Array) => void;
}

/** Key pairs of berth's own (0600), by name. The public half is in `PATH.pub`. */
export interface OwnKeys {
  make(name: string): Promise<string>;
  find(name: string): string | undefined;
  remove(name: string): void;
}

export interface Companion {
  tell(word: string): void;
}

/** Starts programs of the user. They get this process's environment without keys. */
export interface Spawn {
  /** Starts a program beside this one; `ended` as `run`, once all its output was passed on. Usage (2) where there is none. */
  start(
    command: string,
    args: readonly string[],
    streams: ProgramStreams,
  ): Promise<{ readonly ended: Promise<number>; stop(): void }>;
  readonly self: readonly string[];
  /** Starts berth in a session of its own, which outlives this process. It reads what is told; its stdin ends with this process. */
  companion(argv: readonly string[]): Promise<Companion>;
  ownKeys(): Promise<OwnKeys>;
  /** Connects standard input and output to a port until one of them ends. Fails with unavailable (7) where nobody listens. */
  connect(host: string, port: number): Promise<void>;
  /** Fails with port-in-use (14), and with usage (2) for an address of another machine. Port 0: any free one. */
  freePort(address: string, port: number): Promise<number>;
  /** The home folder by the system, which ssh uses for `~` whatever HOME says. */
  accountHome(): string | undefined;
  /** The path of the file with the host keys of pods that ssh has seen; its folder is made. Fails with local-file (14). */
  knownHosts(): Promise<string>;
  /** Environment without keys. Returns 128 + the signal's number. All children end with this process. */
  run(command: string, args: readonly string[], options: RunOptions): Promise<number>;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly onSignal?: (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGQUIT') => void;
  readonly onError?: ((bytes: Uint8Array) => void) | undefined;
}

export interface Terminal {
  readonly output: boolean;
  /** stdout was closed at the start: what is written to it is lost without an error. */
  readonly outputClosed: boolean;
  readonly errors: boolean;
  /** Terminals can move their cursor: live views on stdout redraw, and spinners on stderr turn. */
  readonly redraws: boolean;
  /** stdin and stderr are terminals that move their cursor, without `--no-input`. */
  readonly canAsk: boolean;
  readonly columns: number | undefined;
  readonly rows: number | undefined;
  readonly errorColumns: number | undefined;
  readonly colour: { readonly output: boolean; readonly errors: boolean };
  /** For code that hides the cursor: called around Ctrl-Z and before Ctrl-\\. Returns a remover. */
  onSuspend(hooks: SuspendHooks): () => void;
  takeOver(view: LiveHooks): Promise<TakenTerminal>;
}

/** Both hooks must finish before they return: right after `suspend` the process is stopped or gone. */
export interface SuspendHooks {
  readonly suspend: () => void;
  readonly resume: () => void;
}

export interface LiveHooks extends SuspendHooks {
  readonly onKey: (key: Key) => void;
  readonly onResize: () => void;
}

export interface TakenTerminal {
  readonly hasKeys: boolean;
  release(): void;
}

export interface Key {
  readonly name: string;
  /** The character that the key types, if it types one. It may come from a paste: any printable text. */
  readonly text: string | undefined;
}

/** For work that blocks the event loop: a signal ends the process. */
export type Blocking = <T>(work: () => T) => T;

/** A write resolves when the bytes are taken. A closed pipe or a full disk is a Failure. */
export interface Sink<T extends string = string> {
  write(text: T): Promise<void>;
}

export interface Choice<T> {
  readonly name: string;
  readonly value: T;
  readonly description?: string;
}

/** `instead` is the hint without an answer. */
interface TextOptions {
  readonly initial?: string;
  readonly check?: (value: string) => string | undefined;
  readonly instead?: string;
}

/** Allowed only when `terminal.canAsk`. Ctrl-C during a question throws the interrupted Failure. */
export interface Prompts {
  text(message: string, options?: TextOptions): Promise<string>;
  secret(message: string): Promise<string>;
  confirm(message: string): Promise<boolean>;
  select<T>(message: string, choices: readonly Choice<T>[]): Promise<T>;
}
