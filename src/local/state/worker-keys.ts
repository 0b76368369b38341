import { createHmac, randomBytes } from 'node:crypto';
import { createPart } from './shelf.ts';
import type { State } from './state.ts';

/** What the keys of all workers are derived from. */
const secrets = createPart<{ readonly secret: string }>('workerKeys', () => ({
  secret: randomBytes(32).toString('hex'),
}));

/** The key of an endpoint's workers: it opens the paths of the worker protocol, for this endpoint only. */
export const workerKeyOf = (state: State, endpointId: string): string =>
  `berth-worker-${createHmac('sha256', secrets.of(state).secret).update(endpointId).digest('hex').slice(0, 40)}`;
