import type { Json } from '../../core/json.ts';
import { badRequest, conflict, notFound } from '../contract/problem.ts';
import { faults, type FaultRecord } from '../frame/faults.ts';
import { unpublished, type Call, type Operation } from '../frame/operation.ts';
import { bodyOf } from '../frame/validate.ts';
import { clusters } from '../model/clusters.ts';
import { takesByProtocol } from '../model/endpoints/record.ts';
import { endpoints } from '../model/endpoints/seed.ts';
import { pods } from '../model/pods/seed.ts';
import { registries } from '../model/registries.ts';
import { templates } from '../model/templates/seed.ts';
import { volumes } from '../model/volumes.ts';
import { PING_INTERVAL_MS } from '../queue/index.ts';
import { queuesOf } from '../queue/state/records.ts';
import { advanceClock } from '../state/clock.ts';
import { nextId, type State } from '../state/state.ts';
import { workerKeyOf } from '../state/worker-keys.ts';
import { delegations } from './registries/delegations.ts';

type OperationOptions = Omit<Parameters<typeof unpublished>[2], 'service'>;

export interface ControlOptions {
  /** Replaces the state by a new one, even when the present one cannot be read. */
  readonly reset: () => Promise<void>;
  /** The variables of a worker; without a prefix those that the service is set to. */
  readonly variablesOf: (
    state: State,
    worker: { readonly origin: string; readonly endpointId: string; readonly workerId: string },
    prefix: string | undefined,
  ) => Readonly<Record<string, string>>;
}

const control = (id: string, request: string, options: OperationOptions): Operation =>
  unpublished(id, request, { service: 'control', ...options });

/** The operations behind `berth local status`, `worker-env`, `reset`, `clock` and `fault`. */
export const createControlOperations = ({ reset, variablesOf }: ControlOptions): readonly Operation[] => [
  control('localStatus', 'GET /local/status', {
    run: async (call) => ({ status: 200, body: await call.transact(statusOf) }),
  }),
  control('localReset', 'POST /local/reset', {
    run: async (call) => {
      await reset();
      return { status: 200, body: await call.transact(statusOf) };
    },
  }),
  control('localClock', 'POST /local/clock', {
    body: 'LocalClockRequest',
    run: async (call) => {
      const { advanceMs } = bodyOf(call) as { advanceMs: number };
      await call.transact((state) => {
        advanceClock(state, advanceMs);
      });
      // A second step, so that everything that is due at the new time is processed first.
      return { status: 200, body: await call.transact(clockOf) };
    },
  }),
  control('localClockNow', 'GET /local/clock', {
    run: async (call) => ({ status: 200, body: await call.transact(clockOf) }),
  }),
  control('localFaults', 'GET /local/fault', {
    run: async (call) => ({ status: 200, body: await call.transact(faultsOf) }),
  }),
  control('localFaultAdd', 'POST /local/fault', {
    body: 'LocalFaultRequest',
    run: async (call) => {
      const settings = bodyOf(call) as Omit<FaultRecord, 'id'>;
      const fault = await call.transact((state) => {
        const added: FaultRecord = { id: nextId(state, 'fault'), ...settings };
        faults.of(state).push(added);
        return added;
      });
      return { status: 201, body: { ...fault } };
    },
  }),
  control('localFaultClear', 'DELETE /local/fault', {
    run: async (call) => {
      await call.transact((state) => {
        faults.replace(state, []);
      });
      return { status: 204 };
    },
  }),
  control('localFaultRemove', 'DELETE /local/fault/{id}', {
    run: async (call) => {
      await call.transact((state) => {
        const others = faults.of(state).filter(({ id }) => id !== call.params['id']);
        if (others.length === faults.of(state).length) throw notFound('fault not found');
        faults.replace(state, others);
      });
      return { status: 204 };
    },
  }),
  control('localWorkers', 'GET /local/workers/{id}', {
    run: async (call) => ({
      status: 200,
      body: await call.transact((state) => attachment(state, call, variablesOf)),
    }),
  }),
];

/** What the names of a worker's variables may begin with. */
const PREFIX = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** What a program needs to take the jobs of an endpoint by the worker protocol: the id of a new worker, and its variables. */
function attachment(state: State, { params, query, origin }: Call, variablesOf: ControlOptions['variablesOf']): Json {
  const nameOrId = params['id'] ?? '';
  const prefix = query.get('prefix') ?? undefined;
  if (prefix !== undefined && !PREFIX.test(prefix)) throw badRequest('prefix must be the beginning of a variable name');
  const endpoint = endpoints.get(state, nameOrId) ?? endpoints.all(state).find(({ name }) => name === nameOrId);
  if (endpoint === undefined) throw notFound('endpoint not found');
  if (!takesByProtocol(endpoint))
    throw conflict(`endpoint ${endpoint.id} is not served by workers that take its jobs themselves`);
  const worker = { origin, endpointId: endpoint.id, workerId: nextId(state, 'attached') };
  return {
    endpointId: worker.endpointId,
    workerId: worker.workerId,
    key: workerKeyOf(state, worker.endpointId),
    pingIntervalMs: PING_INTERVAL_MS,
    variables: { ...variablesOf(state, worker, prefix) },
  };
}

const clockOf = (state: State, now: number): Json => ({
  now: new Date(now).toISOString(),
  advancedMs: state.clockOffsetMs,
});

const faultsOf = (state: State): Json => ({ faults: faults.of(state).map((fault) => ({ ...fault })) });

/** How many records each list shows. */
function statusOf(state: State, now: number): Json {
  const jobs: Record<string, number> = {};
  for (const { status } of Object.values(queuesOf(state).jobs)) jobs[status] = (jobs[status] ?? 0) + 1;
  return {
    ...(clockOf(state, now) as object),
    pods: pods.all(state).filter(({ life }) => life.kind !== 'terminated').length,
    clusters: clusters.all(state).length,
    endpoints: endpoints.all(state).filter(({ hidden }) => hidden !== true).length,
    templates: templates.all(state).filter(({ publisher }) => publisher === undefined).length,
    networkVolumes: volumes.all(state).length,
    registries: registries.all(state).length,
    delegations: delegations.all(state).length,
    jobs,
    ...(faultsOf(state) as object),
  };
}
