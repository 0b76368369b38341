import { badRequest } from '../../contract/problem.ts';
import { endpoints } from '../../model/endpoints/seed.ts';
import { nextId, type State } from '../../state/state.ts';
import { checkContainer, containerWith, resolveTemplate, type ContainerBody } from '../templates/resolve.ts';
import { cpuFor, gpuFor, checkPlacement, type CpuBody, type GpuBody } from './compute.ts';
import { hasIdleTimeout } from './document.ts';
import { newContainer, type ContainerRecord } from '../../model/container.ts';
import { DEFAULTS, firstRelease, type EndpointRecord } from '../../model/endpoints/record.ts';
import { addRelease } from './releases.ts';
import type { EpochMs, Milliseconds } from '../../../core/unit-types.ts';

/** The members of both create and update, validated by the schema. */
interface EndpointBody extends ContainerBody {
  readonly gpu?: GpuBody;
  readonly cpu?: CpuBody;
  readonly dataCenterIds?: readonly string[];
  readonly networkVolumes?: readonly string[];
  readonly flashboot?: string;
  readonly templateId?: string;
  readonly timeout?: Milliseconds;
  readonly workers?: Readonly<Partial<EndpointRecord['workers']>>;
}

export interface CreateEndpointBody extends EndpointBody {
  readonly name: string;
  readonly type: EndpointRecord['type'];
  readonly scaling: EndpointRecord['scaling'];
}

export interface UpdateEndpointBody extends EndpointBody {
  readonly name?: string;
  readonly scaling?: EndpointRecord['scaling'];
}

/** Creates an endpoint. Throws the 400, 404 and 422 Problems of contract rules, Serverless endpoints. */
export function createEndpoint(state: State, now: EpochMs, request: CreateEndpointBody): EndpointRecord {
  const { body, template } = resolveTemplate(state, request, 'endpoint');
  if ((body.gpu === undefined) === (body.cpu === undefined)) throw badRequest('exactly one of gpu and cpu is required');
  const { min, max, idleTimeout, timeoutMs, flashboot } = DEFAULTS;
  const defaults: EndpointRecord = {
    id: '',
    name: body.name,
    type: body.type,
    createdAt: now,
    workers: { min, max, idleTimeout },
    scaling: body.scaling,
    timeoutMs,
    flashboot,
    handler: handlerOf(body.image ?? ''),
    container: newContainer(),
    dataCenterIds: [],
    networkVolumes: [],
    template: template?.id ?? null,
    version: 1,
    releases: [],
  };
  const endpoint = { ...defaults, ...settingsOf(state, defaults, body), container: containerOf(state, defaults, body) };
  endpoint.id = nextId(state, 'ep');
  endpoint.releases = [firstRelease(nextId(state, 'rel'), now)];
  return endpoints.put(state, endpoint);
}

/**
 * Changes what a PATCH names and nothing else. A changed container makes a new release; other changes apply to workers that
 * start from now on (contract rules, Serverless endpoints). A template is applied once; an empty id removes the reference
 * to it. Throws the 400, 404 and 422 Problems.
 */
export function updateEndpoint(
  state: State,
  endpoint: EndpointRecord,
  now: EpochMs,
  request: UpdateEndpointBody,
): void {
  const { templateId, ...untemplated } = request;
  const { body, template } = resolveTemplate(state, templateId === '' ? untemplated : request, 'endpoint');
  const settings = settingsOf(state, endpoint, body);
  const container = containerOf(state, endpoint, body);
  Object.assign(endpoint, settings);
  if (templateId !== undefined) endpoint.template = template?.id ?? null;
  addRelease(state, endpoint, container, now);
}

/** All settings but the container, after the changes of a body. */
function settingsOf(state: State, current: EndpointRecord, body: UpdateEndpointBody): Partial<EndpointRecord> {
  const {
    name = current.name,
    scaling = current.scaling,
    timeout = current.timeoutMs,
    flashboot = current.flashboot,
  } = body;
  if (current.type === 'LOAD_BALANCER' && scaling.type !== 'REQUEST_COUNT')
    throw badRequest('a LOAD_BALANCER endpoint takes REQUEST_COUNT scaling only');
  if (timeout < 0) throw badRequest('timeout is a number of milliseconds from 0, which stands for the default');
  const workers = { ...current.workers, ...body.workers };
  if (body.workers?.idleTimeout !== undefined && !hasIdleTimeout({ type: current.type, scaling }))
    throw badRequest('workers.idleTimeout does not go with REQUEST_COUNT scaling on a QUEUE endpoint');
  if (workers.min > workers.max) throw badRequest('workers.min is above workers.max');
  const changed = {
    ...gpuFor(current, body.gpu),
    ...cpuFor(current, body.cpu),
    dataCenterIds: [...(body.dataCenterIds ?? current.dataCenterIds)],
    networkVolumes: [...(body.networkVolumes ?? current.networkVolumes)],
  };
  if (changesPlacement(body)) checkPlacement(state, { ...current, ...changed });
  return { name, scaling, timeoutMs: timeout, flashboot, workers, ...changed };
}

/** Whether a body changes the hardware or data centers of workers. */
const changesPlacement = ({ gpu, cpu, dataCenterIds, networkVolumes }: UpdateEndpointBody): boolean =>
  [gpu, cpu, dataCenterIds, networkVolumes].some((member) => member !== undefined);

function containerOf(state: State, { container }: EndpointRecord, body: ContainerBody): ContainerRecord {
  checkContainer(state, body);
  return containerWith(container, body);
}

/**
 * Images are not run: an endpoint whose first image has the name of a built-in handler uses that handler, any other `echo`.
 * A later image makes a release and does not change the handler.
 */
const handlerOf = (image: string): EndpointRecord['handler'] =>
  (['demo', 'sleep', 'fail', 'stream'] as const).find((name) => new RegExp(`(^|/)${name}(:|@|$)`).test(image)) ??
  'echo';
