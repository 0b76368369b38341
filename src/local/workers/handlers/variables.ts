import { PING_INTERVAL_MS, workerEnvironment } from '../../queue/index.ts';
import type { EndpointRecord } from '../../model/endpoints/record.ts';
import { bootEnvironment } from '../../model/secrets.ts';
import type { State } from '../../state/state.ts';
import { workerKeyOf } from '../../state/worker-keys.ts';

export type Environment = Readonly<Record<string, string>>;

/** The environment of a worker of an endpoint that starts now. */
export type EnvironmentOf = (state: State, endpoint: EndpointRecord) => Environment;

/** What the workers of an endpoint of type LOAD_BALANCER read (additions 10). */
const LOAD_BALANCER_PORTS = { PORT: '80', PORT_HEALTH: '80', HEALTH_CHECK_PATH: '/ping' };

/** The variables of an endpoint, with the present values of secrets, and those that the contract gives every worker. */
export const endpointVariables =
  (secretPrefix: string): EnvironmentOf =>
  (state, { container, type }) => ({
    ...bootEnvironment(state, secretPrefix, container.env).variables,
    ...(type === 'LOAD_BALANCER' ? LOAD_BALANCER_PORTS : {}),
  });

/** The prefix of the variables that berth's own worker for Python files reads. */
const NEUTRAL_PREFIX = 'BERTH_WORKER';

export interface WorkerName {
  /** `http://127.0.0.1:8181` */
  readonly origin: string;
  readonly endpointId: string;
  readonly workerId: string;
}

export interface VariableOptions {
  /** The prefix that the library of the worker reads; undefined when only the neutral one is used. */
  readonly prefix: string | undefined;
  /** The path of berth's own worker for Python files, to start it by hand. */
  readonly runner: string | undefined;
}

/** The variables of the worker protocol: with the neutral prefix, and with that of its library. */
export function workerVariables(state: State, worker: WorkerName, { prefix, runner }: VariableOptions): Environment {
  const settings = { ...worker, key: workerKeyOf(state, worker.endpointId), pingIntervalMs: PING_INTERVAL_MS };
  return {
    ...workerEnvironment({ ...settings, prefix: NEUTRAL_PREFIX }),
    ...(prefix === undefined ? {} : workerEnvironment({ ...settings, prefix })),
    ...(runner === undefined ? {} : { [`${NEUTRAL_PREFIX}_RUNNER`]: runner }),
  };
}
