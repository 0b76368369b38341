import { badRequest } from '../../contract/problem.ts';
import { nextId, type State } from '../../state/state.ts';
import { refuseContainer, resolveTemplate, type ContainerBody } from '../templates/resolve.ts';
import { cpuFor, gpuFor, refusePlaces, type CpuBody, type GpuBody } from './compute.ts';
import { hasIdleTimeout } from './document.ts';
import { DEFAULTS, type ContainerRecord, type EndpointRecord } from '../../model/endpoints/record.ts';
import { firstRelease, release } from './releases.ts';

/** What bodies of create and update share; the schema has seen to their members. */
interface EndpointBody extends ContainerBody {
  readonly gpu?: GpuBody;
  readonly cpu?: CpuBody;
  readonly dataCenterIds?: readonly string[];
  readonly networkVolumes?: readonly string[];
  readonly flashboot?: string;
  readonly templateId?: string;
  /** Milliseconds. */
  readonly timeout?: number;
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

/** A new endpoint. Throws the 400, 404 and 422 Problems of contract rules, Serverless endpoints. */
export function createEndpoint(state: State, now: number, asked: CreateEndpointBody): EndpointRecord {
  const { body, template } = resolveTemplate(state, asked, 'endpoint');
  if ((body.gpu === undefined) === (body.cpu === undefined)) throw badRequest('exactly one of gpu and cpu is required');
  const { min, max, idleTimeout, timeoutMs, disk, flashboot } = DEFAULTS;
  const bare: EndpointRecord = {
    id: '',
    name: body.name,
    type: body.type,
    createdAt: now,
    workers: { min, max, idleTimeout },
    scaling: body.scaling,
    timeoutMs,
    flashboot,
    handler: handlerOf(body.image ?? ''),
    container: { image: '', args: '', disk, ports: [], env: {}, registry: null },
    dataCenterIds: [],
    networkVolumes: [],
    template: template?.id ?? null,
    version: 1,
    releases: [],
  };
  const endpoint = { ...bare, ...settingsOf(state, bare, body), container: containerOf(state, bare, body) };
  endpoint.id = nextId(state, 'ep');
  endpoint.releases = [firstRelease(nextId(state, 'rel'), now)];
  state.endpoints[endpoint.id] = endpoint;
  return endpoint;
}

/**
 * Changes what a PATCH names and nothing else. A changed container makes a new release; how many workers there are, on
 * what and where, is for those that start from now on (contract rules, Serverless endpoints). A template is applied
 * once; an empty id only forgets it. Throws the 400, 404 and 422 Problems.
 */
export function updateEndpoint(state: State, endpoint: EndpointRecord, now: number, asked: UpdateEndpointBody): void {
  const { templateId, ...untemplated } = asked;
  const { body, template } = resolveTemplate(state, templateId === '' ? untemplated : asked, 'endpoint');
  const settings = settingsOf(state, endpoint, body);
  const container = containerOf(state, endpoint, body);
  Object.assign(endpoint, settings);
  if (templateId !== undefined) endpoint.template = template?.id ?? null;
  release(state, endpoint, container, now);
}

/** Everything but the container, with what a body changes of it. */
function settingsOf(state: State, present: EndpointRecord, body: UpdateEndpointBody): Partial<EndpointRecord> {
  const {
    name = present.name,
    scaling = present.scaling,
    timeout = present.timeoutMs,
    flashboot = present.flashboot,
  } = body;
  if (present.type === 'LOAD_BALANCER' && scaling.type !== 'REQUEST_COUNT')
    throw badRequest('a LOAD_BALANCER endpoint takes REQUEST_COUNT scaling only');
  if (timeout < 0) throw badRequest('timeout is a number of milliseconds from 0, which stands for the default');
  const workers = { ...present.workers, ...body.workers };
  if (body.workers?.idleTimeout !== undefined && !hasIdleTimeout({ type: present.type, scaling }))
    throw badRequest('workers.idleTimeout does not go with REQUEST_COUNT scaling on a QUEUE endpoint');
  if (workers.min > workers.max) throw badRequest('workers.min is above workers.max');
  const changed = {
    ...gpuFor(present, body.gpu),
    ...cpuFor(present, body.cpu),
    dataCenterIds: [...(body.dataCenterIds ?? present.dataCenterIds)],
    networkVolumes: [...(body.networkVolumes ?? present.networkVolumes)],
  };
  if (isMoved(body)) refusePlaces(state, { ...present, ...changed });
  return { name, scaling, timeoutMs: timeout, flashboot, workers, ...changed };
}

/** Whether a body says on what or where workers run. */
const isMoved = ({ gpu, cpu, dataCenterIds, networkVolumes }: UpdateEndpointBody): boolean =>
  [gpu, cpu, dataCenterIds, networkVolumes].some((member) => member !== undefined);

function containerOf(state: State, { container: present }: EndpointRecord, body: ContainerBody): ContainerRecord {
  refuseContainer(state, body);
  return {
    image: body.image ?? present.image,
    args: body.args ?? present.args,
    disk: body.disk ?? present.disk,
    ports: [...(body.ports ?? present.ports)],
    env: { ...(body.env ?? present.env) },
    registry: body.registry === undefined ? present.registry : body.registry,
  };
}

/**
 * Images are not run here: an endpoint created from one that is named after a built-in handler behaves as that, any
 * other echoes. A later image makes a release and changes nothing of it.
 */
const handlerOf = (image: string): EndpointRecord['handler'] =>
  (['demo', 'sleep', 'fail', 'stream'] as const).find((name) => new RegExp(`(^|/)${name}(:|@|$)`).test(image)) ??
  'echo';
