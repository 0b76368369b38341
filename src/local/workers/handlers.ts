import type { EndpointRecord, Served } from '../model/endpoints.ts';
import { bootEnvironment } from '../model/secrets.ts';
import { PING_INTERVAL_MS } from '../queue/index.ts';
import type { Outcome } from '../queue/builtin-handlers.ts';
import { workerKeyOf } from '../state/keys.ts';
import type { State } from '../state/state.ts';

/** `input` is JSON text. */
export interface HandlerJob {
  readonly id: string;
  readonly endpointId: string;
  readonly input: string;
}

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
  readonly env: Readonly<Record<string, string>>;
  /** The number and length of lines are limited. */
  readonly onLine: (line: string) => void;
}

export type StartHandlerWorker = (source: HandlerSource, start: HandlerStart) => HandlerWorker;

export type EndpointSource =
  /** A JavaScript module, by its absolute path or `file:` URL. */
  | { readonly kind: 'module'; readonly path: string }
  /**
   * One process per worker, which requests jobs by the worker protocol: a command line for a shell, or a program with
   * arguments.
   */
  | { readonly kind: 'command'; readonly command: string | readonly string[]; readonly cwd: string }
  /** One process per job: input on stdin, output on stdout. Run by the shell. */
  | { readonly kind: 'exec'; readonly command: string; readonly cwd: string }
  /** Workers that another program starts, and that request jobs by the worker protocol. */
  | { readonly kind: 'attach' };

/** The program of a list is its last word: the file that Python runs. */
export function servedBy(source: EndpointSource): Served {
  switch (source.kind) {
    case 'module':
    case 'exec':
      return { handler: 'module' };
    case 'command': {
      const { command } = source;
      const program = typeof command === 'string' ? command : command.at(-1);
      return { handler: 'protocol', ...(program === undefined ? {} : { program }) };
    }
    case 'attach':
      return { handler: 'attach' };
  }
}

export type Environment = Readonly<Record<string, string>>;

export type EnvironmentOf = (state: State, endpoint: EndpointRecord) => Environment;

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

interface VariableOptions {
  /** Of the worker's library; undefined when only the neutral one is used. */
  readonly prefix: string | undefined;
  /** Berth's own worker for Python files, to start it by hand. */
  readonly runner: string | undefined;
}

/** With the neutral prefix, and with the prefix of its library. */
export function workerVariables(state: State, worker: WorkerName, { prefix, runner }: VariableOptions): Environment {
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
