import type { Milliseconds } from '../../core/unit-types.ts';
import type { EndpointRecord, Served } from '../model/endpoints.ts';
import { bootEnvironment } from '../model/records.ts';
import { type ManagedWorker, PING_INTERVAL_MS } from '../queue/workers.ts';
import type { Outcome } from '../queue/job-output.ts';
import type { Job } from '../queue/records.ts';
import { type State, type Transact, workerKeyOf } from '../state/state.ts';

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

export type HandlerJob = Pick<Job, 'id' | 'endpointId' | 'input'>;

/** The running handler of one worker: a thread, or an object that runs a command for each job. */
export interface HandlerWorker {
  /** Waits for `onChunk`. Resolves with undefined when stopped; rejects only when `onChunk` does. */
  run(job: HandlerJob, onChunk: (text: string) => Promise<void>): Promise<Outcome | undefined>;
  /** Also true after a crash. */
  readonly stopped: boolean;
  /** Immediate, even for a job in an endless loop. */
  stop(): Promise<void>;
}

export type HandlerSource = Extract<EndpointSource, { readonly kind: 'module' | 'exec' }>;

export interface HandlerStart {
  readonly env: Environment;
  /** The number and length of lines are limited. */
  readonly onLine: (line: string) => void;
}

export type StartHandlerWorker = (source: HandlerSource, start: HandlerStart) => HandlerWorker;

export type EndpointSource =
  /** A JavaScript module, by its absolute path or `file:` URL. */
  | { readonly kind: 'module'; readonly path: string }
  /** One process per worker, which requests jobs by the worker protocol: a command line, or a program with arguments. */
  | { readonly kind: 'command'; readonly command: string | readonly string[]; readonly cwd: string }
  /** One process per job: input on stdin, output on stdout. Run by the shell. */
  | { readonly kind: 'exec'; readonly command: string; readonly cwd: string }
  /** Workers that another program starts, and that request jobs by the worker protocol. */
  | { readonly kind: 'attach' };

/** The program of a list is its last word: the file that Python runs. */
export function servedBy(source: EndpointSource): Served {
  if (source.kind === 'attach') return { handler: 'attach' };
  if (source.kind !== 'command') return { handler: 'module' };
  const { command } = source;
  const program = typeof command === 'string' ? command : command.at(-1);
  return { handler: 'protocol', ...(program === undefined ? {} : { program }) };
}

export type Environment = Readonly<Record<string, string>>;

export type EnvironmentOf = (state: State, endpoint: EndpointRecord) => Environment;

export interface WorkersOptions {
  readonly transact: Transact;
  /** By endpoint id or name. */
  readonly sources: Readonly<Record<string, EndpointSource>>;
  readonly startProcess?: StartProcess | undefined;
  readonly environmentOf: EnvironmentOf;
  /** These win over the variables of the endpoint. */
  readonly protocolVariablesOf: (state: State, endpointId: string, workerId: string) => Environment;
  /** Counts the fault down: called once for each start. */
  readonly startFault: (state: State, worker: ManagedWorker) => Milliseconds | 'failed';
  readonly monotonic: () => number;
  /** Rejects when there is no answer, and with WebhookRefused when it must not be sent again. */
  readonly sendWebhook: (url: string, body: string) => Promise<number>;
  readonly log?: ((endpointId: string, line: string) => void) | undefined;
  readonly onWebhookRefused?: ((jobId: string, reason: string) => void) | undefined;
}

export interface Workers {
  /** Call it every 100 ms or so. Rejects with the first error since the last call (local-file, 14). */
  sync(): Promise<void>;
  /** Nothing is recorded, and none is left, after that. */
  stop(): Promise<void>;
}

/** What the workers of an endpoint of type LOAD_BALANCER read (additions 10). */
const LOAD_BALANCER_PORTS = { PORT: '80', PORT_HEALTH: '80', HEALTH_CHECK_PATH: '/ping' };

export const endpointVariables =
  (secretPrefix: string): EnvironmentOf =>
  (state, { container, type }) => ({
    ...bootEnvironment(state, secretPrefix, container.env).variables,
    ...(type === 'LOAD_BALANCER' ? LOAD_BALANCER_PORTS : {}),
  });

/** Read by berth's own worker for Python files. */
const NEUTRAL_PREFIX = 'BERTH_WORKER';

export interface WorkerName {
  readonly origin: string;
  readonly endpointId: string;
  readonly workerId: string;
}

/** With the neutral prefix, and with that of the worker's library. `runner` is berth's own worker for Python files. */
export function workerVariables(
  state: State,
  worker: WorkerName,
  prefix: string | undefined,
  runner: string | undefined,
): Environment {
  const key = workerKeyOf(state, worker.endpointId);
  return {
    ...protocolVariables(NEUTRAL_PREFIX, worker, key),
    ...(prefix === undefined ? {} : protocolVariables(prefix, worker, key)),
    ...(runner === undefined ? {} : { [`${NEUTRAL_PREFIX}_RUNNER`]: runner }),
  };
}

/** The library replaces `$ID` and `$PREFIX_POD_ID`, and appends to the queries (worker protocol). */
export function protocolVariables(
  prefix: string,
  { origin, endpointId, workerId }: WorkerName,
  key: string,
): Environment {
  const base = `${origin}/worker/${encodeURIComponent(endpointId)}`;
  const pod = `$${prefix}_POD_ID`;
  const variables = {
    WEBHOOK_GET_JOB: `${base}/job-take/$ID?service=local`,
    WEBHOOK_POST_OUTPUT: `${base}/job-done/${pod}/$ID?service=local`,
    WEBHOOK_POST_STREAM: `${base}/job-stream/${pod}/$ID?service=local`,
    WEBHOOK_PING: `${base}/ping/${pod}?service=local`,
    PING_INTERVAL: String(PING_INTERVAL_MS),
    AI_API_KEY: key,
    POD_ID: workerId,
    POD_HOSTNAME: workerId,
    ENDPOINT_ID: endpointId,
    SKIP_AUTO_SYSTEM_CHECKS: 'true',
    SKIP_GPU_CHECK: 'true',
  };
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [`${prefix}_${name}`, value]));
}
