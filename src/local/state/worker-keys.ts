import { createHmac, randomBytes } from 'node:crypto';
import { createPart } from './record-table.ts';
import type { State } from './state.ts';

/** What the keys of all workers are derived from. */
const secrets = createPart<{ readonly secret: string }>('workerKeys', () => ({
  secret: randomBytes(32).toString('hex'),
}));

/** The key of an endpoint's workers: it opens the paths of the worker protocol, for this endpoint only. */
export const workerKeyOf = (state: State, endpointId: string): string =>
  `berth-worker-${createHmac('sha256', secrets.of(state).secret).update(endpointId).digest('hex').slice(0, 40)}`;

/** Returns the keys of workers; `workerKeyOf` without its cost, which is a part of every request of a worker. */
export type WorkerKeys = (state: State, endpointId: string) => string;

/** How many keys are kept at most: a path may name any endpoint. */
const MAX_KEYS = 1000;

/** Creates keys that are derived once for each endpoint and secret. */
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
