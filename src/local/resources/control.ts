import { type Seed, SEEDS } from '../../core/fault-kinds.ts';
import type { Json } from '../../core/json.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import { badRequest, conflict, notFound } from '../contract/problem.ts';
import { type FaultRecord, faults } from '../http/faults.ts';
import { type Call, type Operation, reply, unpublished } from '../http/operation.ts';
import { templates } from '../model/container.ts';
import { type EndpointRecord, endpoints, takesByProtocol } from '../model/endpoints.ts';
import {
  changeHardware,
  type CpuData,
  cpusOf,
  DATA_CENTERS,
  dataCentersWith,
  type GpuData,
  gpusOf,
  resetHardware,
} from '../model/hardware.ts';
import { type PodRecord, pods, type PodUse, presentPods } from '../model/pods.ts';
import { clusters, registries, volumes } from '../model/records.ts';
import { endpointChanged } from '../queue/engine.ts';
import { queuesOf } from '../queue/records.ts';
import { PING_INTERVAL_MS } from '../queue/workers.ts';
import { type BuildBody, putBuild } from './endpoints/configure.ts';
import { delegations } from './registries.ts';
import { advanceClock } from '../state/clock.ts';
import { nextId, podKeyOf, type State, workerKeyOf } from '../state/state.ts';

/** Without a prefix those that the service is set to. */
type VariablesOf = (
  state: State,
  worker: { readonly origin: string; readonly endpointId: string; readonly workerId: string },
  prefix: string | undefined,
) => Readonly<Record<string, string>>;

const control = (request: string, run: Operation['run'], body?: string): Operation =>
  unpublished(request, request, { service: 'control', run, ...(body === undefined ? {} : { body }) });

/** `reset` works even when the present state cannot be read. */
export const createControlOperations = (
  reset: (seed: Seed) => Promise<void>,
  variablesOf: VariablesOf,
): readonly Operation[] => [
  control('GET /local/status', readStatus),
  {
    ...control('POST /local/reset', async (call) => {
      await reset((call.query.get('seed') ?? 'plain') as Seed);
      return readStatus(call);
    }),
    parameters: [{ name: 'seed', in: 'query', schema: { enum: SEEDS } }],
  },
  control('GET /local/clock', readClock),
  control('POST /local/clock', advance, 'LocalClockRequest'),
  control('GET /local/fault', reply(200, faultsOf)),
  control('POST /local/fault', reply(201, addFault), 'LocalFaultRequest'),
  control(
    'DELETE /local/fault',
    reply(204, (state) => {
      faults.replace(state, []);
    }),
  ),
  control('DELETE /local/fault/{id}', reply(204, removeFault)),
  control(
    'GET /local/workers/{id}',
    reply(200, (state, call) => attachment(state, call, variablesOf)),
  ),
  control(
    'GET /local/pods/{id}/key',
    reply(200, (state, { params }) => ({ key: podKeyOf(state, pods.find(state, params['id']).id) })),
  ),
  control('POST /local/pods/{id}/use', reply(200, setUse), 'LocalUseRequest'),
  control(
    'POST /local/builds/{id}',
    reply(200, (state, { params, body }, now) =>
      putBuild(state, findEndpoint(state, params['id']), body as BuildBody, now),
    ),
    'LocalBuildRequest',
  ),
  control('GET /local/stock', reply(200, stockOf)),
  control('POST /local/stock', changing(changeStock), 'LocalStockRequest'),
  control('POST /local/prices', changing(changePrice), 'LocalPriceRequest'),
  control('DELETE /local/stock', changing(resetHardware)),
];

const readStatus = reply(200, statusOf);
const readClock = reply(200, clockOf);

async function advance(call: Call) {
  await call.transact((state) => {
    advanceClock(state, (call.body as { advanceMs: Milliseconds }).advanceMs);
  });
  // A second step, so that everything that is due at the new time is processed first.
  return readClock(call);
}

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

function faultsOf(state: State): Json {
  return { faults: faults.of(state).map((fault) => ({ ...fault })) };
}

function addFault(state: State, { body }: Call): Json {
  const settings = body as Omit<FaultRecord, 'id'>;
  const { endpoint } = settings;
  const byId = endpoint === undefined ? {} : { endpoint: findEndpoint(state, endpoint).id };
  const added: FaultRecord = { id: nextId(state, 'fault'), ...settings, ...byId };
  faults.of(state).push(added);
  return { ...added };
}

function removeFault(state: State, { params }: Call): void {
  const others = faults.of(state).filter(({ id }) => id !== params['id']);
  if (others.length === faults.of(state).length) throw notFound('fault not found');
  faults.replace(state, others);
}

/** What is not given varies again; permanent without `forMs`. */
function setUse(state: State, { params, body }: Call, now: EpochMs): Json {
  const { forMs, ...use } = body as Omit<PodUse, 'until'> & { readonly forMs?: Milliseconds };
  const pod = named(presentPods(state), 'pod', params['id']);
  pod.use = forMs === undefined ? use : { ...use, until: now + forMs };
  return { pod: pod.id, ...use, ...(forMs === undefined ? {} : { until: new Date(now + forMs).toISOString() }) };
}

const PREFIX = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

function attachment(state: State, { params, query, origin }: Call, variablesOf: VariablesOf): Json {
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

function clockOf(state: State, _call: Call, now: EpochMs) {
  return { now: new Date(now).toISOString(), advancedMs: state.clockOffsetMs };
}

function statusOf(state: State, call: Call, now: EpochMs): Json {
  const jobs: Record<string, number> = {};
  for (const { status } of Object.values(queuesOf(state).jobs)) jobs[status] = (jobs[status] ?? 0) + 1;
  return {
    ...clockOf(state, call, now),
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

/** A change of hardware is for good without `forMs`. */
interface ChangeBody {
  readonly hardware: string;
  readonly forMs?: Milliseconds;
  readonly everyMs?: Milliseconds;
}

/** Lets every endpoint start the workers for which there is stock now. */
export function allEndpointsChanged(state: State): void {
  for (const { id } of endpoints.all(state)) endpointChanged(state, id);
}

function changing(change: (state: State, body: never, now: EpochMs) => void): Operation['run'] {
  return reply(200, (state, { body, operation }, now) => {
    change(state, body as never, now);
    allEndpointsChanged(state);
    return operation.method === 'DELETE' ? undefined : stockOf(state);
  });
}

const idsOf = (all: readonly { readonly id: string }[]): string => all.map(({ id }) => id).join(', ');

function findHardware(state: State, id: string): GpuData | CpuData {
  const all = [...gpusOf(state), ...cpusOf(state)];
  const found = all.find((each) => each.id === id);
  if (found === undefined) throw badRequest(`unknown hardware ${id}: one of ${idsOf(all)}`);
  return found;
}

const spanOf = ({ forMs, everyMs }: ChangeBody, from: EpochMs) =>
  forMs === undefined ? {} : { span: { from, forMs, ...(everyMs === undefined ? {} : { everyMs }) } };

/** Without a data center in every one that has this hardware in the catalog. */
function changeStock(
  state: State,
  body: ChangeBody & { readonly free: number; readonly dataCenter?: string },
  now: EpochMs,
): void {
  const { hardware, free, dataCenter } = body;
  const found = findHardware(state, hardware);
  if (dataCenter !== undefined && !DATA_CENTERS.some(({ id }) => id === dataCenter))
    throw badRequest(`unknown data center ${dataCenter}: one of ${idsOf(DATA_CENTERS)}`);
  const where = dataCenter === undefined ? dataCentersWith(found) : [dataCenter];
  changeHardware(state, where, { hardware, of: 'stock', value: free, ...spanOf(body, now) });
}

/** Without a cloud in both. A CPU flavor is on the SECURE cloud alone. */
function changePrice(
  state: State,
  body: ChangeBody & { readonly price: number; readonly cloud?: PodRecord['cloud'] },
  now: EpochMs,
): void {
  const { hardware, price, cloud } = body;
  const isCpu = 'vcpu' in findHardware(state, hardware);
  const members = isCpu ? ['securePerVcpu'] : cloud === undefined ? ['secure', 'community'] : [cloud.toLowerCase()];
  changeHardware(state, members, { hardware, of: 'price', value: price, ...spanOf(body, now) });
}

function stockOf(state: State): Json {
  return {
    stock: [...gpusOf(state), ...cpusOf(state)].flatMap((hardware) =>
      dataCentersWith(hardware).map((dataCenter) => ({
        hardware: hardware.id,
        dataCenter,
        free: hardware.stock[dataCenter] ?? 0,
      })),
    ),
  };
}
