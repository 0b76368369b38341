import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createPart, type State } from './state.ts';

const secret = createPart<{ readonly secret: string }>('podKeys', () => ({ secret: randomBytes(32).toString('hex') }));

const BEGIN = 'berth-pod.';

export const podKeyOf = (state: State, podId: string): string =>
  `${BEGIN}${podId}.${createHmac('sha256', secret.of(state).secret).update(podId).digest('hex').slice(0, 40)}`;

export function podOfKey(state: State, token: string): string | undefined {
  if (!token.startsWith(BEGIN)) return undefined;
  const podId = token.slice(BEGIN.length, token.lastIndexOf('.'));
  const expected = Buffer.from(podKeyOf(state, podId));
  const given = Buffer.from(token);
  return given.length === expected.length && timingSafeEqual(given, expected) ? podId : undefined;
}

const secrets = createPart<{ readonly secret: string }>('workerKeys', () => ({
  secret: randomBytes(32).toString('hex'),
}));

/** Opens the worker protocol for this endpoint only. */
export const workerKeyOf = (state: State, endpointId: string): string =>
  `berth-worker-${createHmac('sha256', secrets.of(state).secret).update(endpointId).digest('hex').slice(0, 40)}`;

/** As `workerKeyOf`, without its cost, which is a part of every request of a worker. */
export type WorkerKeys = (state: State, endpointId: string) => string;

/** A path may name any endpoint. */
const MAX_KEYS = 1000;

export function createWorkerKeys(): WorkerKeys {
  const keys = new Map<string, string>();
  let from: string | undefined;
  return (state, endpointId) => {
    const { secret } = secrets.of(state);
    if (secret !== from || keys.size >= MAX_KEYS) keys.clear();
    from = secret;
    const known = keys.get(endpointId);
    if (known !== undefined) return known;
    const key = workerKeyOf(state, endpointId);
    keys.set(endpointId, key);
    return key;
  };
}
