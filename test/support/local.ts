import { LOCAL_KEY } from '../../src/local/auth.ts';
import { createLocalService, type LocalService, type LocalServiceOptions } from '../../src/local/service.ts';
import { memoryStore } from '../../src/local/store.ts';
import { createValidator } from '../../src/local/validate.ts';
import { createTestClock, type TestClock } from './clock.ts';

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

const validator = createValidator();

/** A local service in memory on a clock of its own, seeded. */
export function localFixture(options: Partial<LocalServiceOptions> = {}): LocalFixture {
  const clock = createTestClock();
  const service = createLocalService({
    clock,
    random: () => 0.5,
    store: memoryStore(),
    queueLimits: false,
    validator,
    ...options,
  });
  return {
    service,
    clock,
    send: async (method, path, body, key = LOCAL_KEY) => {
      const response = await service.fetch(
        new Request(`http://localhost${path}`, {
          method,
          headers: key === null ? {} : { Authorization: `Bearer ${key}` },
          ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        }),
      );
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: JSON.parse(text || '{}') as Record<string, unknown>,
      };
    },
  };
}
