import { LOCAL_KEY } from '../../../src/local/http/admission.ts';
import { createLocalService, type LocalService, type LocalServiceOptions } from '../../../src/local/service.ts';
import { memoryStore } from '../../../src/local/state/store.ts';
import { fetchFrom } from './fetch-from.ts';
import { createTestClock, type TestClock } from '../clocks/test-clock.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The members of the body; none where there was no body. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface LocalFixture {
  readonly service: LocalService;
  readonly clock: TestClock;
  /** `send('POST', '/v2/pods', {...})`; a string body goes out as it is. A key of null sends no Authorization. */
  readonly send: (method: string, path: string, body?: unknown, key?: string | null) => Promise<Answer>;
}

/** The body of a create of a pod, which is answered with 201. */
export const POD_BODY = { name: 'p', image: 'example/image:1', disk: 10, gpu: { id: 'GPU-24G', count: 1 } } as const;

/** A local service in memory on a clock of its own, seeded. */
export function localFixture(options: Partial<LocalServiceOptions> = {}): LocalFixture {
  const clock = createTestClock();
  const service = createLocalService({
    clock,
    random: () => 0.5,
    store: memoryStore(),
    queueLimits: false,
    ...options,
  });
  return {
    service,
    clock,
    send: async (method, path, body, key = LOCAL_KEY) => {
      const response = await fetchFrom(
        service,
        new Request(`http://localhost${path}`, {
          method,
          headers: key === null ? {} : { Authorization: `Bearer ${key}` },
          ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        }),
      );
      const text = await textOf(response);
      const isJson = response.headers.get('content-type')?.includes('json') ?? false;
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
      };
    },
  };
}

/** The whole body; of an event stream, which has no end, its first piece, and then the caller hangs up. */
async function textOf(response: Response): Promise<string> {
  if (response.headers.get('content-type') !== 'text/event-stream') return response.text();
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return new TextDecoder().decode(first?.value);
}
