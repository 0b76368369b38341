import type { LocalServiceOptions } from '../../../src/local/service.ts';
import { memoryStore } from '../../../src/local/state/store.ts';
import { createState, type State, workerKeyOf } from '../../../src/local/state/state.ts';
import { fetchFrom } from './fetch-from.ts';
import { attachWorker, type ProtocolWorkerClient } from './protocol-worker.ts';
import { localFixture, type LocalFixture } from './service-fixture.ts';

/** A local service whose endpoint `mine` is served by attached workers, and one of them. */
export interface AttachedService extends LocalFixture {
  readonly state: State;
  readonly worker: ProtocolWorkerClient;
  attach(workerId: string): Promise<ProtocolWorkerClient>;
  /** Sends a request with the key of an endpoint's workers, whatever the endpoint is; returns the status. */
  asWorkerOf(endpointId: string, method: string, path: string, body?: string): Promise<number>;
  /** Resolves when the requests that were sent are held, if they are not answered. */
  settled(): Promise<void>;
}

export async function attached(options: Partial<LocalServiceOptions> = {}): Promise<AttachedService> {
  const state = createState(Date.UTC(2026, 0, 1));
  const local = localFixture({ handlers: { mine: { kind: 'attach' } }, store: memoryStore(state), ...options });
  return {
    ...local,
    state,
    worker: await attachWorker(local.service, 'mine'),
    attach: (workerId) => attachWorker(local.service, 'mine', workerId),
    asWorkerOf: async (endpointId, method, path, body) => {
      const headers = { Authorization: workerKeyOf(state, endpointId) };
      const url = `http://localhost/worker/${endpointId}/${path}`;
      const request = new Request(url, { method, headers, ...(body === undefined ? {} : { body }) });
      return (await fetchFrom(local.service, request)).status;
    },
    settled: async () => {
      for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    },
  };
}

/** Submits a job to `mine`, and returns its id. */
export const submit = async ({ send }: LocalFixture, input: unknown, more = {}): Promise<string> =>
  String((await send('POST', '/v2/mine/run', { input, ...more })).body['id']);

export const statusOf = async ({ send }: LocalFixture, id: string): Promise<Readonly<Record<string, unknown>>> =>
  (await send('GET', `/v2/mine/status/${id}`)).body;
