import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createPart, type State } from './state.ts';

const secret = createPart<{ readonly secret: string }>('keys', () => ({ secret: randomBytes(32).toString('hex') }));

const digestOf = (state: State, name: string): string =>
  createHmac('sha256', secret.of(state).secret).update(name).digest('hex').slice(0, 40);

/** Opens the worker protocol for this endpoint only. */
export const workerKeyOf = (state: State, endpointId: string): string =>
  `berth-worker-${digestOf(state, `worker ${endpointId}`)}`;

const POD = 'berth-pod.';

export const podKeyOf = (state: State, podId: string): string => `${POD}${podId}.${digestOf(state, `pod ${podId}`)}`;

export function podOfKey(state: State, token: string): string | undefined {
  if (!token.startsWith(POD)) return undefined;
  const podId = token.slice(POD.length, token.lastIndexOf('.'));
  return isSameKey(token, podKeyOf(state, podId)) ? podId : undefined;
}

export const isSameKey = (given: string, expected: string): boolean =>
  Buffer.byteLength(given) === Buffer.byteLength(expected) &&
  timingSafeEqual(Buffer.from(given), Buffer.from(expected));
