import type { Api, BatchApi, BatchApiOptions, LoginApiOptions, RememberedLimits } from './api.ts';
import type { JsonObject } from './json.ts';
import type { Clock } from './ports/clock.ts';
import type { Archives, Files, RangeFiles } from './ports/files.ts';
import type { LocalHost } from './ports/local-service.ts';
import type { ObjectStorage, StorageOptions } from './ports/object-storage.ts';
import type { Spawn } from './ports/programs.ts';
import type {
  AccountDocument,
  RememberedJobs,
  RememberedLists,
  RememberedNames,
  RememberedNotes,
} from './ports/remembered.ts';
import type { VolumeFiles, VolumePlace } from './ports/volume-files.ts';
import type { ProfileStore, SettingsView } from './ports/settings.ts';
import type { Blocking, Prompts, Sink, Terminal } from './ports/terminal.ts';
import type { DataText, TerminalText } from './safe-text.ts';

export type { Clock } from './ports/clock.ts';
export type {
  AppendFile,
  ArchiveInput,
  Archives,
  DurableFiles,
  EntryChecks,
  RangeFiles,
  RangeWriter,
  Files,
  FileVersion,
  FolderEntry,
  LockHolder,
  ResolvedPath,
  TreeEntry,
} from './ports/files.ts';
export type { RememberedNotes } from './ports/remembered.ts';
export type { CredentialWait, ObjectStorage, StorageOptions, StoredObject } from './ports/object-storage.ts';
export type { LocalHost, LocalServeOptions, LocalServer } from './ports/local-service.ts';
export type { ProgramStreams, Spawn, StartedProgram } from './ports/programs.ts';
export type {
  KeyView,
  Profile,
  ProfileStore,
  SettingSource,
  SettingsView,
  SettingValues,
  StorageKey,
} from './ports/settings.ts';
export type {
  Blocking,
  Choice,
  Key,
  LiveHooks,
  Prompts,
  Sink,
  SuspendHooks,
  TakenTerminal,
  Terminal,
} from './ports/terminal.ts';

/**
 * Everything a command may use of the world outside: there is no global clock, environment, stream or network. Tests
 * provide their own.
 */
export interface Context {
  readonly api: Api;
  /** Opens an Api for thousands of requests. It sends each request once; the caller throttles and retries. */
  batchApi(options: BatchApiOptions): BatchApi;
  /** Opens an Api for a login that is not stored yet. All its requests go to the management API. */
  loginApi(options: LoginApiOptions): Api;
  /**
   * Lets SSH into the pods of the local service in this process until the command ends: the addresses of pods are read after it.
   * Does nothing where requests go elsewhere.
   */
  openLocalPods(): Promise<void>;
  readonly settings: SettingsView;
  readonly profiles: ProfileStore;
  readonly clock: Clock;
  /** A random number from 0 up to, but not including, 1. */
  readonly random: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** HOME, where this user is root and HOME belongs to another user. */
  readonly foreignHome: string | undefined;
  readonly terminal: Terminal;
  /** Takes data: text in a machine-readable format, or text that was made safe. */
  readonly stdout: Sink<DataText | TerminalText>;
  /** Takes the content of files, as it is; on a terminal its control characters are shown and not obeyed. */
  readonly rawOutput: { write(bytes: Uint8Array): Promise<void> };
  /** Takes messages to the user: only text that was made safe. */
  readonly stderr: Sink<TerminalText>;
  readonly files: Files;
  /** Loads its module on the first call. */
  durable(): Promise<RangeFiles>;
  /** Loads its module on the first call. */
  archives(): Promise<Archives>;
  /** Opens files and objects by address. Loads its modules on the first call. */
  storage(options?: StorageOptions): Promise<ObjectStorage>;
  /** Opens the files of a network volume. Loads its modules on the first call. */
  volumeFiles(place: VolumePlace): Promise<VolumeFiles>;
  readonly prompts: Prompts;
  readonly spawn: Spawn;
  readonly localHost: LocalHost;
  /** The schemas of the published contract, by name. Loads the local service, which publishes them, on the first call. */
  contractSchemas(): Promise<Readonly<Record<string, JsonObject>>>;
  readonly limits: RememberedLimits;
  readonly lists: RememberedLists;
  readonly jobs: RememberedJobs;
  readonly names: RememberedNames;
  readonly notes: RememberedNotes;
  /** When a guard of this machine last ran. */
  readonly guard: AccountDocument;
  /** What creates have sent. */
  readonly creates: AccountDocument;
  /**
   * Starts another process of this program with these arguments, without streams. It goes on when this process ends.
   * Resolves when it has ended, also if it failed or could not be started.
   */
  readonly background: (argv: readonly string[]) => Promise<void>;
  readonly blocking: Blocking;
  /** Aborted on the first Ctrl-C or SIGTERM; its reason is the interrupted Failure. */
  readonly signal: AbortSignal;
  /**
   * Calls the listener on the second Ctrl-C, instead of ending the process at once. A third Ctrl-C ends the process.
   * For a command that stops soon after the second one. Returns a function that removes the listener.
   */
  onSecondInterrupt(listener: () => void): () => void;
  readonly platform: string;
}
