import { logStream } from '../logs/log-stream.ts';
import { pageOf } from '../../http/requests/pages.ts';
import { isTooNew, noContent, operation, reply, type Call, type Operation } from '../../http/call/operation.ts';
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
import type { EpochMs } from '../../../core/unit-types.ts';

function find(state: State, call: Call, now: EpochMs): EndpointRecord {
  const id = call.params['id'] ?? '';
  const endpoint = endpoints.get(state, id);
  if (endpoint === undefined || endpoint.hidden === true || isTooNew(endpoint.createdAt, call, now)) throw notFound();
  return endpoint;
}

/** Serverless endpoints (contract rules, Serverless endpoints). Their jobs and workers are in `src/local/queue`. */
export const endpointOperations: readonly Operation[] = [
  operation(
    'listEndpoints',
    reply(200, (state, call, now) => {
      const shown = endpoints
        .all(state)
        .filter(({ hidden, createdAt }) => hidden !== true && !isTooNew(createdAt, call, now));
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
    reply(200, (state, call, now) => endpointDocument(find(state, call, now), call.origin)),
  ),
  operation(
    'updateEndpoint',
    reply(200, (state, call, now) => {
      const endpoint = find(state, call, now);
      updateEndpoint(state, endpoint, now, bodyOf(call) as UpdateEndpointBody);
      endpointChanged(state, endpoint.id);
      return endpointDocument(endpoint, call.origin);
    }),
  ),
  operation(
    'deleteEndpoint',
    noContent((state, call, now) => {
      const { id } = find(state, call, now);
      removeQueue(state, id, now);
      endpoints.remove(state, id);
    }),
  ),
  operation(
    'listEndpointWorkers',
    reply(200, (state, call, now) => workersDocument(state, find(state, call, now), now)),
  ),
  operation(
    'listEndpointReleases',
    reply(200, (state, call, now) => releasesDocument(state, find(state, call, now), call)),
  ),
  operation(
    'listEndpointBuilds',
    reply(200, (state, call, now) => buildsDocument(state, find(state, call, now), call)),
  ),
  operation(
    'getEndpointBuild',
    reply(200, (state, call, now) => buildDocument(state, find(state, call, now), call.params['buildId'] ?? '')),
  ),
  operation('getWorkerLogs', (call) =>
    logStream(
      call,
      workerLog((state, now) => find(state, call, now), call.params['workerId'] ?? ''),
    ),
  ),
];
