import { logStream } from '../logs/log-stream.ts';
import { pageOf } from '../../http/requests/pages.ts';
import { noContent, operation, reply, type Call, type Operation } from '../../http/call/operation.ts';
import { notFound } from '../../contract/problem.ts';
import { endpointChanged, removeQueue } from '../../queue/index.ts';
import type { State } from '../../state/state.ts';
import { bodyOf } from '../../http/requests/validate.ts';
import { endpoints } from '../../model/endpoints/seed.ts';
import { buildDocument, buildsDocument } from './builds.ts';
import { createEndpoint, updateEndpoint, type CreateEndpointBody, type UpdateEndpointBody } from './configure.ts';
import { endpointDocument } from './document.ts';
import { workerLog } from './logs.ts';
import type { EndpointRecord } from '../../model/endpoints/record.ts';
import { releasesDocument } from './releases.ts';
import { workersDocument } from './workers.ts';

function find(state: State, call: Call): EndpointRecord {
  const id = call.params['id'] ?? '';
  const endpoint = endpoints.get(state, id);
  if (endpoint === undefined || endpoint.hidden === true) throw notFound();
  return endpoint;
}

/** Serverless endpoints (contract rules, Serverless endpoints). Their jobs and workers are in `src/local/queue`. */
export const endpointOperations: readonly Operation[] = [
  operation(
    'listEndpoints',
    reply(200, (state, call) => {
      const shown = endpoints.all(state).filter(({ hidden }) => hidden !== true);
      const { rows, pagination } = pageOf(state, call, shown);
      return { endpoints: rows.map((endpoint) => endpointDocument(endpoint, call.origin)), pagination };
    }),
  ),
  operation(
    'createEndpoint',
    reply(201, (state, call, now) => {
      const endpoint = createEndpoint(state, now, bodyOf(call) as CreateEndpointBody);
      endpointChanged(state, endpoint.id);
      return endpointDocument(endpoint, call.origin);
    }),
  ),
  operation(
    'getEndpoint',
    reply(200, (state, call) => endpointDocument(find(state, call), call.origin)),
  ),
  operation(
    'updateEndpoint',
    reply(200, (state, call, now) => {
      const endpoint = find(state, call);
      updateEndpoint(state, endpoint, now, bodyOf(call) as UpdateEndpointBody);
      endpointChanged(state, endpoint.id);
      return endpointDocument(endpoint, call.origin);
    }),
  ),
  operation(
    'deleteEndpoint',
    noContent((state, call, now) => {
      const { id } = find(state, call);
      removeQueue(state, id, now);
      endpoints.remove(state, id);
    }),
  ),
  operation(
    'listEndpointWorkers',
    reply(200, (state, call, now) => workersDocument(state, find(state, call), now)),
  ),
  operation(
    'listEndpointReleases',
    reply(200, (state, call) => releasesDocument(state, find(state, call), call)),
  ),
  operation(
    'listEndpointBuilds',
    reply(200, (state, call) => buildsDocument(state, find(state, call), call)),
  ),
  operation(
    'getEndpointBuild',
    reply(200, (state, call) => buildDocument(state, find(state, call), call.params['buildId'] ?? '')),
  ),
  operation('getWorkerLogs', (call) =>
    logStream(
      call,
      workerLog((state) => find(state, call), call.params['workerId'] ?? ''),
    ),
  ),
];
