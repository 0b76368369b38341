import type { LocalServiceOptions } from '../../../src/local/service.ts';
import { memoryStore } from '../../../src/local/state/store.ts';
import { createState, workerKeyOf } from '../../../src/local/state/state.ts';
import { fetchFrom } from './fetch-from.ts';
import { attachWorker } from './protocol-worker.ts';
import { localFixture, type LocalFixture } from './service-fixture.ts';

export type AttachedService = Awaited<ReturnType<typeof attached>>;

/** A local service whose endpoint `mine` is served by attached workers, and one of them. */
export async function attached(options: Partial<LocalServiceOptions> = {}) {
  const state = createState(Date.UTC(2026, 0, 1));
  const local = localFixture({ handlers: { mine: { kind: 'attach' } }, store: memoryStore(state), ...options });
  return {
    ...local,
    state,
    worker: await attachWorker(local.service, 'mine'),
    attach: (workerId: string) => attachWorker(local.service, 'mine', workerId),
    /** Sends a request with the key of an endpoint's workers, whatever the endpoint is; returns the status. */
    asWorkerOf: async (endpointId: string, method: string, path: string, body?: string): Promise<number> => {
      const headers = { Authorization: workerKeyOf(state, endpointId) };
      const url = `http://localhost/worker/${endpointId}/${path}`;
      const request = new Request(url, { method, headers, ...(body === undefined ? {} : { body }) });
      return (await fetchFrom(local.service, request)).status;
    },
    /** Resolves when the requests that were sent are held, if they are not answered. */
    settled: async (): Promise<void> => {
      for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    },
  };
}

/** A service whose worker has taken a job. */
export async function atWork() {
  const local = await attached();
  const id = await submit(local, {});
  await local.worker.take();
  return { local, id };
}

/** Submits a job to `mine`, and returns its id. */
export const submit = async ({ send }: LocalFixture, input: unknown, more = {}): Promise<string> =>
  String((await send('POST', '/v2/mine/run', { input, ...more })).body['id']);

export const statusOf = async ({ send }: LocalFixture, id: string): Promise<Readonly<Record<string, unknown>>> =>
  (await send('GET', `/v2/mine/status/${id}`)).body;
