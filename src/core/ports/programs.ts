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
  /** No more is read until it resolves. */
  readonly onOutput: (bytes: Uint8Array) => void | Promise<void>;
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
