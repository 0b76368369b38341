import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../../core/json.ts';
import type { EpochMs, Milliseconds } from '../../../core/unit-types.ts';
import { badRequest, notFound } from '../../contract/problem.ts';
import type { Call } from '../../http/operation.ts';
import { pageOf } from '../../http/pages.ts';
import { type ContainerRecord, decodeCommand, newContainer } from '../../model/container.ts';
import {
  type BuildRecord,
  builds,
  type EndpointCpu,
  type EndpointGpu,
  type EndpointRecord,
  endpoints,
  firstRelease,
  newEndpoint,
  placementsFor,
  type ReleaseRecord,
} from '../../model/endpoints.ts';
import { CPUS, dataCenterById, flavorFor, gpuById, GPUS } from '../../model/hardware.ts';
import { volumes } from '../../model/records.ts';
import { queueOf, workersIn } from '../../queue/records.ts';
import { checkContainer, type ContainerBody, containerWith, resolveTemplate } from '../templates.ts';
import { globalVolumes } from '../volumes.ts';
import { nextId, type State } from '../../state/state.ts';

const MAX_RELEASES = 100;

export function releaseFiles(state: State, endpoint: EndpointRecord, now: EpochMs): void {
  release(state, endpoint, [{ field: 'files', old: null, new: new Date(now).toISOString() }], now);
}

function release(state: State, endpoint: EndpointRecord, diff: ReleaseRecord['diff'], now: EpochMs): void {
  endpoint.version += 1;
  const added: ReleaseRecord = { id: nextId(state, 'rel'), version: endpoint.version, createdAt: now, diff };
  endpoint.releases = [added, ...endpoint.releases].slice(0, MAX_RELEASES);
}

function differences(before: ContainerRecord, after: ContainerRecord): ReleaseRecord['diff'] {
  const fields = ['args', 'disk', 'env', 'image', 'ports', 'registry'] as const;
  return fields
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => ({ field, old: before[field], new: after[field] }));
}

/** A text that sorts as the number does. */
const versionText = (version: number): string => String(version).padStart(12, '0');

export function releasesDocument(state: State, endpoint: EndpointRecord, call: Call): Json {
  // Two of the same millisecond are in the order of their versions.
  const positioned = endpoint.releases.map((each) => ({ ...each, release: each.id, id: versionText(each.version) }));
  const { rows, pagination } = pageOf(state, call, positioned.toReversed());
  const workers = workersIn(queueOf(state, endpoint.id));
  const onVersion = (version: number): number => workers.filter((worker) => worker.version === version).length;
  const workersOnLatest = onVersion(endpoint.version);
  const workersTotal = workers.length;
  return {
    endpointVersion: endpoint.version,
    rollout: {
      inProgress: workersOnLatest < workersTotal,
      workersOnLatest,
      workersTotal,
      // New workers use the latest version: without workers the rollout is complete.
      percentOnLatest: workersTotal === 0 ? 100 : Math.floor((100 * workersOnLatest) / workersTotal),
    },
    pagination,
    releases: rows.map(({ release: id, version, createdAt, diff }) => ({
      id,
      version,
      source: 'MANUAL',
      buildId: null,
      createdByUserId: 'user-local',
      workerCount: onVersion(version),
      createdAt: new Date(createdAt).toISOString(),
      diff: diff as Json[],
    })),
  };
}

const documentOf = ({ endpointId: _endpoint, createdAt: _createdAt, ...shown }: BuildRecord): Json => shown;

export function buildsDocument(state: State, endpoint: EndpointRecord, call: Call): Json {
  const ofEndpoint = builds.all(state).filter(({ endpointId }) => endpointId === endpoint.id);
  const { rows, pagination } = pageOf(state, call, ofEndpoint);
  return { builds: rows.map(documentOf), pagination };
}

export function buildDocument(state: State, endpoint: EndpointRecord, id: string): Json {
  const build = builds.get(state, id);
  if (build?.endpointId !== endpoint.id) throw notFound('build not found');
  return documentOf(build);
}

export interface BuildBody extends Partial<Omit<BuildRecord, 'endpointId' | 'createdAt'>> {
  readonly status: BuildRecord['status'];
}

const FINAL: readonly BuildRecord['status'][] = ['COMPLETED', 'FAILED', 'CANCELLED', 'TEST_FAILED'];

export function putBuild(state: State, { id: endpointId }: EndpointRecord, body: BuildBody, now: EpochMs): Json {
  const { id = nextId(state, 'build'), status } = body;
  const previous = builds.get(state, id);
  const time = new Date(now).toISOString();
  const none = { commitHash: null, commitMessage: null, branch: null, commitDate: null, imageName: null };
  const build: BuildRecord = {
    ...none,
    createdAt: now,
    ...previous,
    startedAt: status === 'PENDING' ? null : (previous?.startedAt ?? time),
    completedAt: FINAL.includes(status) ? (previous?.completedAt ?? time) : null,
    error: status === 'FAILED' || status === 'TEST_FAILED' ? 'the build failed' : null,
    ...body,
    id,
    endpointId,
  };
  return documentOf(builds.put(state, build));
}

export interface UpdateEndpointBody extends ContainerBody {
  readonly name?: string;
  readonly scaling?: EndpointRecord['scaling'];
  /** An empty `minCudaVersion` removes the constraint. */
  readonly gpu?: Partial<EndpointGpu>;
  readonly cpu?: readonly Pick<EndpointCpu, 'id' | 'vcpuCount'>[];
  readonly dataCenterIds?: string[];
  readonly networkVolumes?: string[];
  readonly globalVolumes?: string[];
  readonly flashboot?: string;
  readonly templateId?: string;
  readonly timeout?: Milliseconds;
  readonly workers?: Readonly<Partial<EndpointRecord['workers']>>;
}

export type CreateEndpointBody = UpdateEndpointBody & Pick<EndpointRecord, 'name' | 'type' | 'scaling'>;

/** New pools have no exclusions. Throws the 400 Problem on a CPU endpoint, or for an unknown GPU. */
function gpuFor(current: EndpointRecord, request: UpdateEndpointBody['gpu']): { readonly gpu?: EndpointGpu } {
  if (request === undefined) return {};
  if (current.cpu !== undefined) throw badRequest('gpu on a CPU endpoint: the kind of compute is fixed at creation');
  const kept = current.gpu ?? { pools: [], count: 1, allowedCudaVersions: [], minCudaVersion: null };
  const { excludedTypes: keptExclusions, ...others } = kept;
  const { excludedTypes: given, ...asked } = request;
  const excludedTypes = request.pools === undefined ? keptExclusions : given;
  const minCudaVersion = request.minCudaVersion ?? kept.minCudaVersion;
  const gpu: EndpointGpu = {
    ...others,
    ...asked,
    ...(excludedTypes !== undefined && { excludedTypes }),
    minCudaVersion: minCudaVersion === '' ? null : minCudaVersion,
  };
  if (gpu.allowedCudaVersions.length > 0 && gpu.minCudaVersion !== null)
    throw badRequest('gpu.allowedCudaVersions and gpu.minCudaVersion exclude each other');
  const pool = gpu.pools.find((id) => !GPUS.some((known) => known.pool === id));
  if (pool !== undefined) throw badRequest(`unknown GPU pool ${pool}`);
  const type = gpu.excludedTypes?.find((id) => gpuById(id) === undefined);
  if (type !== undefined) throw badRequest(`gpu.excludedTypes: unknown GPU type ${type}`);
  return { gpu };
}

/** Throws the 400 Problem on a GPU endpoint, and as in specification 2.2. */
function cpuFor(current: EndpointRecord, request: UpdateEndpointBody['cpu']): { readonly cpu?: EndpointCpu[] } {
  if (request === undefined) return {};
  if (current.gpu !== undefined) throw badRequest('cpu on a GPU endpoint: the kind of compute is fixed at creation');
  const cpu = request.map(({ id, vcpuCount }) => {
    const { ramGbPerVcpu } = flavorFor(CPUS, id, vcpuCount);
    return { id, vcpuCount, memory: vcpuCount * ramGbPerVcpu };
  });
  return { cpu };
}

/** Throws the 400 Problem beside network volumes and on a CPU endpoint, 404 for an unknown one. */
function globalVolumesFor(
  state: State,
  current: EndpointRecord,
  body: UpdateEndpointBody,
): { globalVolumes?: string[] } {
  const ids = body.globalVolumes ?? current.globalVolumes ?? [];
  const { networkVolumes = current.networkVolumes, cpu = current.cpu } = body;
  if (body.globalVolumes !== undefined && body.networkVolumes !== undefined)
    throw badRequest('use either globalVolumes or networkVolumes, not both');
  if (ids.length > 0 && networkVolumes.length > 0)
    throw badRequest('a global volume cannot be used with network volumes');
  if (ids.length > 0 && cpu !== undefined) throw badRequest('global volumes need a GPU endpoint');
  for (const id of body.globalVolumes ?? []) globalVolumes.find(state, id);
  return body.globalVolumes === undefined ? {} : { globalVolumes: ids };
}

/** 404 Problem: unknown volume. 400: two volumes in one data center (specification 2.4), no hardware. */
function checkPlacement(state: State, endpoint: EndpointRecord): void {
  const volumeDataCenters = endpoint.networkVolumes.map((id) => {
    const volume = volumes.get(state, id);
    if (volume === undefined) throw notFound(`network volume ${id} not found`);
    return volume.dataCenter;
  });
  if (new Set(volumeDataCenters).size < volumeDataCenters.length)
    throw badRequest('at most one network volume per data center');
  const unknown = endpoint.dataCenterIds.find((id) => dataCenterById(id) === undefined);
  if (unknown !== undefined) throw badRequest(`unknown data center ${unknown}`);
  if (placementsFor(state, endpoint).length === 0) throw badRequest('no data center has what these workers need');
}

export function endpointDocument(endpoint: EndpointRecord, origin: string): Json {
  const { id, name, type, container, gpu, cpu, workers, scaling, timeoutMs, flashboot, createdAt } = endpoint;
  return {
    id,
    name,
    type,
    ...container,
    ...decodeCommand(container.args),
    gpu: gpu && { ...gpu },
    cpu: cpu?.map((flavor) => ({ ...flavor })),
    dataCenterIds: endpoint.dataCenterIds,
    networkVolumes: endpoint.networkVolumes,
    globalVolumes: endpoint.globalVolumes,
    flashboot,
    requestUrls: urlsOf(type, `${origin}/v2/${encodeURIComponent(id)}`),
    workers: hasIdleTimeout(endpoint) ? { ...workers } : { min: workers.min, max: workers.max },
    scaling: { ...scaling },
    timeout: timeoutMs,
    createdAt: new Date(createdAt).toISOString(),
  };
}

/** A QUEUE endpoint with REQUEST_COUNT scaling has no idle timeout (contract rules, Serverless endpoints). */
const hasIdleTimeout = ({ type, scaling }: Pick<EndpointRecord, 'type' | 'scaling'>): boolean =>
  !(type === 'QUEUE' && scaling.type === 'REQUEST_COUNT');

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

/** Throws the 400, 404 and 422 Problems of contract rules, Serverless endpoints. */
export function createEndpoint(state: State, now: EpochMs, request: CreateEndpointBody): EndpointRecord {
  const { body, template } = resolveTemplate(state, request, 'endpoint');
  if ((body.gpu === undefined) === (body.cpu === undefined)) throw badRequest('exactly one of gpu and cpu is required');
  const { name, type, scaling, image = '' } = body;
  // For idleTimeout the published contract says 10, the rules 5: the contract is followed.
  const defaults: EndpointRecord = {
    ...newEndpoint('', handlerOf(image), now),
    name,
    type,
    scaling,
    workers: { min: 0, max: 3, idleTimeout: 10 },
    container: newContainer(),
    template: template?.id ?? null,
  };
  delete defaults.cpu;
  const settings = settingsOf(state, defaults, body);
  checkContainer(state, body);
  const container = containerWith(defaults.container, body);
  const id = nextId(state, 'ep');
  const releases = [firstRelease(nextId(state, 'rel'), now)];
  return endpoints.put(state, { ...defaults, ...settings, container, id, releases });
}

/** A changed container makes a release: older workers become stale (rules, Serverless endpoints). */
export function updateEndpoint(
  state: State,
  endpoint: EndpointRecord,
  now: EpochMs,
  request: UpdateEndpointBody,
): void {
  const { templateId, ...untemplated } = request;
  const { body, template } = resolveTemplate(state, templateId === '' ? untemplated : request, 'endpoint');
  const settings = settingsOf(state, endpoint, body);
  checkContainer(state, body);
  const container = containerWith(endpoint.container, body);
  const diff = differences(endpoint.container, container);
  Object.assign(endpoint, { ...settings, container });
  if (templateId !== undefined) endpoint.template = template?.id ?? null;
  if (diff.length > 0) release(state, endpoint, diff, now);
}

function settingsOf(state: State, current: EndpointRecord, body: UpdateEndpointBody): Partial<EndpointRecord> {
  const { name = current.name, scaling = current.scaling, flashboot = current.flashboot } = body;
  const { timeout: timeoutMs = current.timeoutMs } = body;
  if (current.type === 'LOAD_BALANCER' && scaling.type !== 'REQUEST_COUNT')
    throw badRequest('a LOAD_BALANCER endpoint takes REQUEST_COUNT scaling only');
  if (timeoutMs < 0) throw badRequest('timeout is a number of milliseconds from 0, which stands for the default');
  const workers = { ...current.workers, ...body.workers };
  if (body.workers?.idleTimeout !== undefined && !hasIdleTimeout({ type: current.type, scaling }))
    throw badRequest('workers.idleTimeout does not go with REQUEST_COUNT scaling on a QUEUE endpoint');
  if (workers.min > workers.max) throw badRequest('workers.min is above workers.max');
  const changed = {
    ...gpuFor(current, body.gpu),
    ...cpuFor(current, body.cpu),
    dataCenterIds: body.dataCenterIds ?? current.dataCenterIds,
    networkVolumes: body.networkVolumes ?? current.networkVolumes,
    ...globalVolumesFor(state, current, body),
  };
  const { gpu, cpu, dataCenterIds, networkVolumes } = body;
  if ((gpu ?? cpu ?? dataCenterIds ?? networkVolumes) !== undefined) checkPlacement(state, { ...current, ...changed });
  return { name, scaling, timeoutMs, flashboot, workers, ...changed };
}

/** Images are not run: the first image's name selects a built-in handler, else `echo`. */
const handlerOf = (image: string): EndpointRecord['handler'] =>
  (['demo', 'sleep', 'fail', 'stream'] as const).find((name) => new RegExp(`(^|/)${name}(:|@|$)`).test(image)) ??
  'echo';
