import { PING_INTERVAL_MS, workerEnvironment } from '../queue/index.ts';
import type { State } from '../state/state.ts';
import { workerKeyOf } from '../state/worker-keys.ts';

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

/** The variables of a worker: with the neutral prefix, and with that of its library. */
export function workerVariables(
  state: State,
  worker: WorkerName,
  { prefix, runner }: VariableOptions,
): Readonly<Record<string, string>> {
  const settings = { ...worker, key: workerKeyOf(state, worker.endpointId), pingIntervalMs: PING_INTERVAL_MS };
  return {
    ...workerEnvironment({ ...settings, prefix: NEUTRAL_PREFIX }),
    ...(prefix === undefined ? {} : workerEnvironment({ ...settings, prefix })),
    ...(runner === undefined ? {} : { [`${NEUTRAL_PREFIX}_RUNNER`]: runner }),
  };
}
