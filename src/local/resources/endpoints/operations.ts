import { logStream } from '../log-stream.ts';
import { operation, type Call, type Operation } from '../../frame/operation.ts';
import { notFound } from '../../contract/problem.ts';
import { endpointChanged, removeQueue } from '../../queue/index.ts';
import type { State } from '../../state/state.ts';
import { bodyOf } from '../../frame/validate.ts';
import { endpoints } from '../../model/endpoints/seed.ts';
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
  operation('listEndpoints', async (call) => ({
    status: 200,
    body: {
      endpoints: await call.transact((state) =>
        endpoints
          .all(state)
          .filter(({ hidden }) => hidden !== true)
          .map((endpoint) => endpointDocument(endpoint, call.origin)),
      ),
    },
  })),
  operation('createEndpoint', async (call) => {
    const body = bodyOf(call) as CreateEndpointBody;
    return {
      status: 201,
      body: await call.transact((state, now) => {
        const endpoint = createEndpoint(state, now, body);
        endpointChanged(state, endpoint.id);
        return endpointDocument(endpoint, call.origin);
      }),
    };
  }),
  operation('getEndpoint', async (call) => ({
    status: 200,
    body: await call.transact((state) => endpointDocument(find(state, call), call.origin)),
  })),
  operation('updateEndpoint', async (call) => {
    const body = bodyOf(call) as UpdateEndpointBody;
    return {
      status: 200,
      body: await call.transact((state, now) => {
        const endpoint = find(state, call);
        updateEndpoint(state, endpoint, now, body);
        endpointChanged(state, endpoint.id);
        return endpointDocument(endpoint, call.origin);
      }),
    };
  }),
  operation('deleteEndpoint', async (call) => {
    await call.transact((state, now) => {
      const { id } = find(state, call);
      removeQueue(state, id, now);
      endpoints.remove(state, id);
    });
    return { status: 204 };
  }),
  operation('listEndpointWorkers', async (call) => ({
    status: 200,
    body: await call.transact((state, now) => workersDocument(state, find(state, call), now)),
  })),
  operation('listEndpointReleases', async (call) => ({
    status: 200,
    body: await call.transact((state) => releasesDocument(state, find(state, call))),
  })),
  operation('getWorkerLogs', (call) =>
    logStream(
      call,
      workerLog((state) => find(state, call), call.params['workerId'] ?? ''),
    ),
  ),
];
