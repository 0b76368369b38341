import { type Seed, SEEDS } from '../../core/fault-kinds.ts';
import type { Json } from '../../core/json.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import { badRequest, conflict, notFound } from '../contract/problem.ts';
import { type FaultRecord, faults } from '../http/faults.ts';
import { type Call, type Operation, reply } from '../http/operation.ts';
import { bodyOf } from '../http/validate.ts';
import { type EndpointRecord, endpoints, takesByProtocol } from '../model/endpoints.ts';
import { type PodRecord, pods, type PodUse } from '../model/pods.ts';
import { clusters, registries } from '../model/records.ts';
import { templates } from '../model/templates.ts';
import { volumes } from '../model/volumes.ts';
import { PING_INTERVAL_MS } from '../queue/index.ts';
import { queuesOf } from '../queue/records.ts';
import { type BuildBody, putBuild } from './endpoints/releases.ts';
import { delegations } from './registries.ts';
import { control, stockOperations } from './stock.ts';
import { advanceClock } from '../state/clock.ts';
import { podKeyOf, workerKeyOf } from '../state/keys.ts';
import { nextId, type State } from '../state/state.ts';

interface ControlOptions {
  /** Works even when the present state cannot be read. */
  readonly reset: (seed: Seed) => Promise<void>;
  /** Without a prefix those that the service is set to. */
  readonly variablesOf: (
    state: State,
    worker: { readonly origin: string; readonly endpointId: string; readonly workerId: string },
    prefix: string | undefined,
  ) => Readonly<Record<string, string>>;
}

/** Default `plain`. */
const SEED_PARAMETER = { name: 'seed', in: 'query', schema: { enum: SEEDS } } as const;

const readStatus = reply(200, (state, _call, now) => statusOf(state, now));
const readClock = reply(200, (state, _call, now) => clockOf(state, now));

export const createControlOperations = ({ reset, variablesOf }: ControlOptions): readonly Operation[] => [
  control('GET /local/status', readStatus),
  control(
    'POST /local/reset',
    async (call) => {
      await reset((call.query.get('seed') ?? 'plain') as Seed);
      return readStatus(call);
    },
    undefined,
    [SEED_PARAMETER],
  ),
  control(
    'POST /local/clock',
    async (call) => {
      const { advanceMs } = bodyOf(call) as { advanceMs: Milliseconds };
      await call.transact((state) => {
        advanceClock(state, advanceMs);
      });
      // A second step, so that everything that is due at the new time is processed first.
      return readClock(call);
    },
    'LocalClockRequest',
  ),
  control('GET /local/clock', readClock),
  control('GET /local/fault', reply(200, faultsOf)),
  control(
    'POST /local/fault',
    reply(201, (state, call) => {
      const settings = bodyOf(call) as Omit<FaultRecord, 'id'>;
      const { endpoint } = settings;
      const byId = endpoint === undefined ? {} : { endpoint: findEndpoint(state, endpoint).id };
      const added: FaultRecord = { id: nextId(state, 'fault'), ...settings, ...byId };
      faults.of(state).push(added);
      return { ...added };
    }),
    'LocalFaultRequest',
  ),
  control(
    'DELETE /local/fault',
    reply(204, (state) => {
      faults.replace(state, []);
    }),
  ),
  control(
    'DELETE /local/fault/{id}',
    reply(204, (state, { params }) => {
      const others = faults.of(state).filter(({ id }) => id !== params['id']);
      if (others.length === faults.of(state).length) throw notFound('fault not found');
      faults.replace(state, others);
    }),
  ),
  control(
    'GET /local/workers/{id}',
    reply(200, (state, call) => attachment(state, call, variablesOf)),
  ),
  control(
    'GET /local/pods/{id}/key',
    reply(200, (state, { params }) => ({ key: podKeyOf(state, pods.find(state, params['id']).id) })),
  ),
  control(
    'POST /local/pods/{id}/use',
    reply(200, (state, call, now) =>
      setUse(named(presentPods(state), 'pod', call.params['id']), bodyOf(call) as UseBody, now),
    ),
    'LocalUseRequest',
  ),
  control(
    'POST /local/builds/{id}',
    reply(200, (state, call, now) =>
      putBuild(state, findEndpoint(state, call.params['id']), bodyOf(call) as BuildBody, now),
    ),
    'LocalBuildRequest',
  ),
  ...stockOperations,
];

/** By id, else by a name that only one has. Throws the 404 Problem. */
function named<T extends { readonly id: string; readonly name: string }>(
  rows: readonly T[],
  what: string,
  word = '',
): T {
  const ofName = rows.filter(({ name }) => name === word);
  const found = rows.find(({ id }) => id === word) ?? (ofName.length === 1 ? ofName[0] : undefined);
  if (found === undefined) throw notFound(`${what} not found`);
  return found;
}

const findEndpoint = (state: State, word: string | undefined): EndpointRecord =>
  named(endpoints.all(state), 'endpoint', word);

const presentPods = (state: State): readonly PodRecord[] =>
  pods.all(state).filter(({ life }) => life.kind !== 'terminated');

interface UseBody extends Omit<PodUse, 'until'> {
  /** Permanent when absent. */
  readonly forMs?: Milliseconds;
}

/** What is not given varies again. */
function setUse(pod: PodRecord, { forMs, ...use }: UseBody, now: EpochMs): Json {
  pod.use = forMs === undefined ? use : { ...use, until: now + forMs };
  return { pod: pod.id, ...use, ...(forMs === undefined ? {} : { until: new Date(now + forMs).toISOString() }) };
}

const PREFIX = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

function attachment(state: State, { params, query, origin }: Call, variablesOf: ControlOptions['variablesOf']): Json {
  const prefix = query.get('prefix') ?? undefined;
  if (prefix !== undefined && !PREFIX.test(prefix)) throw badRequest('prefix must be the beginning of a variable name');
  const endpoint = findEndpoint(state, params['id']);
  if (!takesByProtocol(endpoint))
    throw conflict(`endpoint ${endpoint.id} is not served by workers that take its jobs themselves`);
  const worker = { endpointId: endpoint.id, workerId: nextId(state, 'attached') };
  return {
    ...worker,
    key: workerKeyOf(state, worker.endpointId),
    pingIntervalMs: PING_INTERVAL_MS,
    variables: { ...variablesOf(state, { origin, ...worker }, prefix) },
  };
}

const clockOf = (state: State, now: EpochMs): Json => ({
  now: new Date(now).toISOString(),
  advancedMs: state.clockOffsetMs,
});

const faultsOf = (state: State): Json => ({ faults: faults.of(state).map((fault) => ({ ...fault })) });

function statusOf(state: State, now: EpochMs): Json {
  const jobs: Record<string, number> = {};
  for (const { status } of Object.values(queuesOf(state).jobs)) jobs[status] = (jobs[status] ?? 0) + 1;
  return {
    ...(clockOf(state, now) as object),
    pods: presentPods(state).length,
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
