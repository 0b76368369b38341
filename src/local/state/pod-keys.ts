import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createPart } from './record-table.ts';
import type { State } from './state.ts';

/** What the keys of all pods are derived from. */
const secret = createPart<{ readonly secret: string }>('podKeys', () => ({ secret: randomBytes(32).toString('hex') }));

const BEGIN = 'berth-pod.';

/** The key that the service puts into a pod. */
export const podKeyOf = (state: State, podId: string): string =>
  `${BEGIN}${podId}.${createHmac('sha256', secret.of(state).secret).update(podId).digest('hex').slice(0, 40)}`;

/** The id of the pod whose key a token is; undefined for any other token. */
export function podOfKey(state: State, token: string): string | undefined {
  if (!token.startsWith(BEGIN)) return undefined;
  const podId = token.slice(BEGIN.length, token.lastIndexOf('.'));
  const expected = Buffer.from(podKeyOf(state, podId));
  const given = Buffer.from(token);
  return given.length === expected.length && timingSafeEqual(given, expected) ? podId : undefined;
}
