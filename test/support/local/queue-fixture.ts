import {
  decodeJson,
  encodeJson,
  isObject,
  type Json,
  type JsonObject,
  memberAt,
  stringOf,
} from '../../../src/core/json.ts';
import { type Call, type Reply, settingsOf } from '../../../src/local/http/operation.ts';
import { Problem } from '../../../src/local/contract/problem.ts';
import { type EndpointRecord, endpoints } from '../../../src/local/model/endpoints.ts';
import { advanceQueue, endpointChanged } from '../../../src/local/queue/engine.ts';
import { createQueueOperations } from '../../../src/local/queue/operations.ts';
import { createState, type State } from '../../../src/local/state/state.ts';
import { createTestClock } from '../clocks/test-clock.ts';

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly value: Json | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

export type Harness = ReturnType<typeof createHarness>;

/** The queue over a state in memory, called as the frame calls it, on a clock that costs no time. */
export function createHarness(
  options: { readonly queueLimits?: boolean; readonly endpoints?: readonly EndpointRecord[] } = {},
) {
  const clock = createTestClock();
  const start = clock.now();
  const state = createState(start);
  for (const endpoint of options.endpoints ?? []) {
    endpoints.put(state, endpoint);
    endpointChanged(state, endpoint.id);
  }
  const operations = createQueueOperations({ queueLimits: options.queueLimits ?? false });

  const transact = async <T>(step: (state: State, now: number) => T): Promise<T> => {
    await Promise.resolve();
    const now = clock.now();
    state.asOf = now;
    advanceQueue(state, now);
    return step(state, now);
  };

  /** Calls `METHOD /endpoint/operation?query`, with a JSON text for a body. */
  const call = async (request: string, body = '', keyId = 'test'): Promise<Answer> => {
    const [method = '', target = ''] = request.split(' ');
    const url = new URL(`http://127.0.0.1/v2${target}`);
    for (const operation of operations) {
      const pattern = new RegExp(`^${operation.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
      const params = pattern.exec(url.pathname)?.groups;
      if (operation.method !== method || params === undefined) continue;
      const made: Call = {
        operation,
        settings: settingsOf({}),
        takeFault: () => undefined,
        params: { ...params },
        query: url.searchParams,
        headers: {},
        origin: url.origin,
        bodyText: body,
        body: undefined,
        keyId,
        lagMs: 0,
        addressOf: () => undefined,
        signal: new AbortController().signal,
        transact,
        sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal),
      };
      try {
        return answerOf(await operation.run(made));
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        return {
          status: error.status,
          text: error.message,
          value: { error: error.message },
          headers: error.headers,
        };
      }
    }
    throw new Error(`no operation for ${request}`);
  };

  return {
    state,
    clock,
    transact,
    call,
    /** Moves the clock and brings the state up to it. */
    pass: (milliseconds: number): void => {
      clock.advance(milliseconds);
      state.asOf = clock.now();
      advanceQueue(state, state.asOf);
    },
    submit: async (endpointId: string, input: string, more = ''): Promise<string> =>
      idIn(await call(`POST /${endpointId}/run`, `{"input":${input}${more}}`)),
    status: async (endpointId: string, jobId: string): Promise<JsonObject> =>
      objectIn((await call(`GET /${endpointId}/status/${jobId}`)).value),
  };
}

function answerOf({ status, body }: Reply): Answer {
  const text = body === undefined ? '' : encodeJson(body);
  return {
    status,
    text,
    // Only where a test looks: some texts are large.
    get value() {
      return text === '' ? undefined : decodeJson(text);
    },
    headers: {},
  };
}

/** The id of the job an answer is about. */
export const idIn = (answer: Answer): string => stringOf(memberAt(answer.value, 'id')) ?? '';

function objectIn(value: Json | undefined): JsonObject {
  if (!isObject(value)) throw new Error(`not an object: ${value === undefined ? 'nothing' : encodeJson(value)}`);
  return value;
}
