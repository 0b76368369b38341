/** Runs in a process group of its own. */
export interface ProcessSpec {
  /** Text is run by the shell; a list is a program and its arguments. */
  readonly command: string | readonly string[];
  readonly cwd: string;
  /** Added to the environment of this process, from which keys are removed. */
  readonly env: Readonly<Record<string, string>>;
  /** Empty when absent. */
  readonly input?: string;
  readonly onStdout: (bytes: Uint8Array) => void;
  readonly onStderr: (text: string) => void;
}

/** One member is set. */
export interface ProcessEnd {
  readonly code?: number;
  readonly signal?: string;
  /** The reason why it could not be started. */
  readonly error?: string;
}

export interface RunningProcess {
  /** Resolves when it has ended and its output was read. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** SIGTERM to its group, SIGKILL after five seconds. Resolves when none is left. */
  stop(): Promise<void>;
  /** SIGKILL to its group. */
  kill(): void;
}

/** When it or this process ends, the rest of its group is ended too, if the platform allows it. */
export type StartProcess = (spec: ProcessSpec) => RunningProcess;

/** `ended with exit code 1`, `was ended by SIGKILL`, `could not be started: ENOENT`. */
export function describeEnd({ code, signal, error }: ProcessEnd): string {
  if (error !== undefined) return `could not be started: ${error}`;
  return signal === undefined ? `ended with exit code ${String(code ?? 0)}` : `was ended by ${signal}`;
}
