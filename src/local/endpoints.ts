import type { Json } from '../core/json.ts';
import { CPUS, cpuById, GPUS } from './catalog/data.ts';
import { operation } from './contract/operation.ts';
import type { Call, Operation } from './operation.ts';
import { badRequest, notFound } from './problem.ts';
import { dropEndpoint } from './queue/index.ts';
import { nextId, without, type EndpointRecord, type State } from './state.ts';
import { bodyOf } from './validate.ts';

interface CreateEndpointBody {
  readonly name: string;
  readonly type: EndpointRecord['type'];
  readonly scaling: EndpointRecord['scaling'];
  readonly gpu?: {
    readonly pools: readonly string[];
    readonly excludedTypes?: readonly string[];
    readonly count?: number;
    readonly allowedCudaVersions?: readonly string[];
    readonly minCudaVersion?: string;
  };
  readonly cpu?: readonly { readonly id: string; readonly vcpuCount: number }[];
  readonly image?: string;
  readonly args?: string;
  readonly disk?: number;
  readonly ports?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly registry?: string | null;
  readonly templateId?: string;
  readonly dataCenterIds?: readonly string[];
  readonly networkVolumes?: readonly string[];
  readonly flashboot?: string;
  /** Milliseconds. */
  readonly timeout?: number;
  readonly workers?: { readonly min?: number; readonly max?: number; readonly idleTimeout?: number };
}

/**
 * What holds where a body does not say. The published contract and the rules differ on idleTimeout (10 and 5): the
 * contract goes first.
 */
const DEFAULTS = { min: 0, max: 3, idleTimeout: 10, timeoutMs: 300_000, disk: 20 };

/** An endpoint as it is answered; `origin` is where its request addresses begin. */
function documentOf(endpoint: EndpointRecord, origin: string): Json {
  const { id, name, type, workers, scaling, timeoutMs, createdAt } = endpoint;
  const { hidden: _hidden, ...shown } = endpoint.document as Record<string, Json>;
  return {
    id,
    name,
    type,
    ...shown,
    requestUrls: urlsOf(type, `${origin}/v2/${encodeURIComponent(id)}`),
    workers: hasIdleTimeout(endpoint) ? { ...workers } : { min: workers.min, max: workers.max },
    scaling: { ...scaling },
    timeout: timeoutMs,
    createdAt: new Date(createdAt).toISOString(),
  };
}

const urlsOf = (type: EndpointRecord['type'], base: string): Json =>
  type === 'LOAD_BALANCER'
    ? { base, health: `${base}/ping` }
    : {
        run: `${base}/run`,
        runSync: `${base}/runsync`,
        status: `${base}/status`,
        stream: `${base}/stream`,
        cancel: `${base}/cancel`,
        retry: `${base}/retry`,
        purgeQueue: `${base}/purge-queue`,
        health: `${base}/health`,
      };

/** QUEUE with REQUEST_COUNT scaling has none (contract rules, Serverless endpoints). */
const hasIdleTimeout = ({ type, scaling }: Pick<EndpointRecord, 'type' | 'scaling'>): boolean =>
  !(type === 'QUEUE' && scaling.type === 'REQUEST_COUNT');

function find(state: State, call: Call): EndpointRecord {
  const id = call.params['id'] ?? '';
  const endpoint = Object.hasOwn(state.endpoints, id) ? state.endpoints[id] : undefined;
  if (endpoint === undefined || isHidden(endpoint)) throw notFound();
  return endpoint;
}

/** A public model answers to its slug on the queue API and is nobody's endpoint. */
const isHidden = (endpoint: EndpointRecord): boolean => endpoint.document['hidden'] === true;

function create(state: State, now: number, body: CreateEndpointBody): EndpointRecord {
  if ((body.gpu === undefined) === (body.cpu === undefined)) throw badRequest('exactly one of gpu and cpu is required');
  if (body.templateId !== undefined) throw notFound(`template ${body.templateId} not found`);
  if (typeof body.registry === 'string' && !Object.hasOwn(state.registries, body.registry))
    throw notFound(`registry ${body.registry} not found`);
  if (body.workers?.idleTimeout !== undefined && !hasIdleTimeout(body))
    throw badRequest('workers.idleTimeout does not go with REQUEST_COUNT scaling on a QUEUE endpoint');
  const { min = DEFAULTS.min, max = DEFAULTS.max, idleTimeout = DEFAULTS.idleTimeout } = body.workers ?? {};
  if (min > max) throw badRequest('workers.min is above workers.max');
  const endpoint: EndpointRecord = {
    name: body.name,
    type: body.type,
    createdAt: now,
    workers: { min, max, idleTimeout },
    scaling: body.scaling,
    timeoutMs: body.timeout ?? DEFAULTS.timeoutMs,
    version: 1,
    handler: 'echo',
    document: {
      image: body.image ?? '',
      args: body.args ?? '',
      disk: body.disk ?? DEFAULTS.disk,
      ports: body.ports ?? [],
      env: body.env ?? {},
      registry: body.registry ?? null,
      ...computeOf(body),
      dataCenterIds: body.dataCenterIds ?? [],
      networkVolumes: volumesOf(state, body.networkVolumes ?? []),
      flashboot: body.flashboot ?? 'OFF',
    },
    id: nextId(state, 'ep'),
  };
  state.endpoints[endpoint.id] = endpoint;
  return endpoint;
}

function computeOf({ gpu, cpu }: CreateEndpointBody): Record<string, unknown> {
  if (gpu !== undefined) {
    const { allowedCudaVersions = [], minCudaVersion = null, count = 1 } = gpu;
    if (allowedCudaVersions.length > 0 && minCudaVersion !== null)
      throw badRequest('gpu.allowedCudaVersions and gpu.minCudaVersion exclude each other');
    const unknown = gpu.pools.find((pool) => !GPUS.some((known) => known.pool === pool));
    if (unknown !== undefined) throw badRequest(`unknown GPU pool ${unknown}`);
    return { gpu: { ...gpu, count, allowedCudaVersions, minCudaVersion } };
  }
  return {
    cpu: (cpu ?? []).map(({ id, vcpuCount }) => {
      const flavor = cpuById(id);
      if (flavor === undefined)
        throw badRequest(`unknown CPU flavor ${id}: one of ${CPUS.map((known) => known.id).join(', ')}`);
      return { id, vcpuCount, memory: vcpuCount * flavor.ramGbPerVcpu };
    }),
  };
}

/** Specification 2.4: several volumes may be attached, one per data center. */
function volumesOf(state: State, ids: readonly string[]): readonly string[] {
  const places = ids.map((id) => {
    const volume = Object.hasOwn(state.volumes, id) ? state.volumes[id] : undefined;
    if (volume === undefined) throw notFound(`network volume ${id} not found`);
    return volume.dataCenter;
  });
  if (new Set(places).size < places.length) throw badRequest('at most one network volume per data center');
  return ids;
}

/** Serverless endpoints; their jobs and workers are the queue's. */
export const endpointOperations: readonly Operation[] = [
  operation('listEndpoints', async (call) => ({
    status: 200,
    body: {
      endpoints: await call.transact((state) =>
        Object.values(state.endpoints)
          .filter((endpoint) => !isHidden(endpoint))
          .map((endpoint) => documentOf(endpoint, call.origin)),
      ),
    },
  })),
  operation('createEndpoint', async (call) => {
    const body = bodyOf(call) as CreateEndpointBody;
    return {
      status: 201,
      body: await call.transact((state, now) => documentOf(create(state, now, body), call.origin)),
    };
  }),
  operation('getEndpoint', async (call) => ({
    status: 200,
    body: await call.transact((state) => documentOf(find(state, call), call.origin)),
  })),
  operation('deleteEndpoint', async (call) => {
    await call.transact((state, now) => {
      const { id } = find(state, call);
      dropEndpoint(state, id, now);
      state.endpoints = without(state.endpoints, id);
    });
    return { status: 204 };
  }),
];
