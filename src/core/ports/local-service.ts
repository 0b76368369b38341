/** How to serve the local service over HTTP. */
export interface LocalServeOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** The file that keeps the state; undefined keeps it in memory. */
  readonly stateFile?: string;
  /**
   * What serves endpoints, by name: the path of a handler module or of a Python file, `exec: COMMAND`, or the command line
   * of a worker; undefined for attached workers only.
   */
  readonly endpoints: Readonly<Record<string, string | undefined>>;
  /** The program that runs Python files; default `python3`. */
  readonly python?: string | undefined;
  /** What the variables of workers begin with, beside the neutral ones; see the setting `worker-prefix`. */
  readonly workerPrefix?: string | undefined;
  /** Replaces the workers of an endpoint when a file changes beside its handler. */
  readonly reload?: boolean;
  /** Requests per window, by window name; windows not named keep their defaults. */
  readonly quota?: Readonly<Partial<Record<'minute' | 'hour' | 'day', number>>>;
  readonly queueLimits: boolean;
  /** What `stream` answers: the chunks alone (`array`, the default), or an object with the job's status and the chunks. */
  readonly streamShape?: 'array' | 'object';
  /** How many rows a page of a list has at most; default 1000. */
  readonly pageSize?: number | undefined;
  /** What the placeholders of secrets begin with; default `BERTH`. */
  readonly secretPrefix?: string | undefined;
  /** Which contract it answers: the present one (default), or that of August 2026. */
  readonly contract?: 'current' | 'august' | undefined;
  /** Answers on the retired paths under /v1 too. */
  readonly v1?: boolean | undefined;
  /** What the key of a pod may do: nothing (default), or read and stop that pod. */
  readonly podKeys?: 'refused' | 'own' | undefined;
  /** Lets webhooks reach other ports of this machine, and private networks. */
  readonly allowPrivateWebhooks?: boolean;
}

export interface LocalServer {
  /** `http://127.0.0.1:PORT`: one address for all three services. */
  readonly url: string;
  /** The seeded full-access key. It is valid on this server only. */
  readonly key: string;
  /** What the placeholders of its secrets begin with. */
  readonly secretPrefix: string;
  /** The key of the files on volumes. */
  readonly storageKey: { readonly accessKeyId: string; readonly secretAccessKey: string };
  stop(): Promise<void>;
}

/** Starts local services. Commands reach everything else of them through the Api. */
export interface LocalHost {
  serve(options: LocalServeOptions): Promise<LocalServer>;
}

/** A program that runs beside this one. */
export interface StartedProgram {
  /** Its exit code (128 + the signal's number when a signal ended it), when all its output was passed on. */
  readonly ended: Promise<number>;
  /** Asks it to end (SIGTERM). */
  stop(): void;
}

export interface ProgramStreams {
  /** Its standard input; without it the input is empty. */
  readonly input?: AsyncIterable<Uint8Array>;
  readonly onOutput: (bytes: Uint8Array) => void;
  readonly onError: (bytes: Uint8Array) => void;
}

/** Starts programs of the user. They get this process's environment without keys. */
export interface Spawn {
  /** Starts a program beside this one. Fails with usage (2) when there is no such program. */
  start(command: string, args: readonly string[], streams: ProgramStreams): Promise<StartedProgram>;
  /** The words that start this program, whatever the search path of the caller is. */
  readonly self: readonly string[];
  /** Connects standard input and output to a port until one of them ends. Fails with unavailable (7) where nobody listens. */
  connect(host: string, port: number): Promise<void>;
  /**
   * A port that nothing listens at, for a program that is about to: `port`, or any free one for 0. Fails with port-in-use (14), and
   * with usage (2) for an address that is not of this machine.
   */
  freePort(address: string, port: number): Promise<number>;
  /** Opens an address in the browser of the user, which goes on when this process ends. False where none could be started. */
  openInBrowser(url: string): Promise<boolean>;
  /**
   * The home folder of this user by the system, which ssh reads as `~` whatever HOME says; undefined where the system has none, and
   * on Windows.
   */
  accountHome(): string | undefined;
  /** The path of the file with the host keys of pods that ssh has seen; its folder is made. Fails with local-file (14). */
  knownHosts(): Promise<string>;
  /**
   * Runs a program to its end and returns its exit code (128 + the signal's number when a signal ended it). The program
   * gets this process's environment without keys, plus `env`. When this process ends first, for any reason, the program
   * and all its children are ended too. `onSignal` is called for each signal that came meanwhile: the program got it too.
   */
  run(
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    onSignal?: (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGQUIT') => void,
  ): Promise<number>;
}
