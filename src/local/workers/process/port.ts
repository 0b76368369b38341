/** A program to run in a process group of its own. */
export interface ProcessSpec {
  /** Text is run by the shell; a list is a program and its arguments. */
  readonly command: string | readonly string[];
  readonly cwd: string;
  /** Added to the environment of this process, from which keys are removed. */
  readonly env: Readonly<Record<string, string>>;
  /** Its standard input; without it the input is empty. */
  readonly input?: string;
  readonly onStdout: (bytes: Uint8Array) => void;
  readonly onStderr: (text: string) => void;
}

/** How a process ended: one member is set. */
export interface ProcessEnd {
  readonly code?: number;
  readonly signal?: string;
  /** The reason why it could not be started. */
  readonly error?: string;
}

export interface RunningProcess {
  /** Resolves when the process has ended and what it printed was read. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /**
   * Ends the process and all processes of its group: SIGTERM, and SIGKILL for those that still run after five seconds.
   * Resolves when none is left.
   */
  stop(): Promise<void>;
  /** Ends all processes of its group with SIGKILL. */
  kill(): void;
}

/**
 * Starts a program. When it ends by itself, the other processes of its group are ended as by `stop`. When this process
 * ends first, for whatever reason, the group is ended too, if the platform allows it.
 */
export type StartProcess = (spec: ProcessSpec) => RunningProcess;

/** `ended with exit code 1`, `was ended by SIGKILL`, `could not be started: ENOENT`. */
export function describeEnd({ code, signal, error }: ProcessEnd): string {
  if (error !== undefined) return `could not be started: ${error}`;
  return signal === undefined ? `ended with exit code ${String(code ?? 0)}` : `was ended by ${signal}`;
}
