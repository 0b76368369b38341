import { forbidden, unauthorized } from '../contract/problem.ts';
import type { Row, Scope } from '../contract/document.ts';
import type { ServiceSettings } from './operation.ts';
import { isSameKey, podOfKey } from '../state/keys.ts';
import type { State } from '../state/state.ts';

/** The full-access key. The keys are public by design: they are accepted by local services only. */
export const LOCAL_KEY = 'berth-local-full-access';
export const READ_ONLY_KEY = 'berth-local-read-only';
export const JOBS_ONLY_KEY = 'berth-local-jobs-only';
export const EXPIRED_KEY = 'berth-local-expired';

export interface Key {
  readonly id: string;
  readonly scopes: readonly Scope[];
}

const KEYS: ReadonlyMap<string, Key> = new Map([
  [LOCAL_KEY, { id: 'key-full-access', scopes: ['read', 'write', 'jobs', 'control'] }],
  [READ_ONLY_KEY, { id: 'key-read-only', scopes: ['read'] }],
  [JOBS_ONLY_KEY, { id: 'key-jobs-only', scopes: ['jobs'] }],
]);

/** The key of an Authorization header. Throws the 401 Problem that says what is wrong with it (specification 5.4). */
export function authenticate(authorization: string | undefined): Key {
  if (authorization === undefined || authorization.trim() === '') throw unauthorized('missing bearer token');
  const token = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization.trim())?.[1];
  if (token === undefined) throw unauthorized('malformed bearer token');
  const key = KEYS.get(token);
  if (key === undefined) throw unauthorized(`${token === EXPIRED_KEY ? 'expired' : 'invalid'} bearer token`);
  return key;
}

/** Accepts the worker's key only: 401 Problem, and 403 for a key of a client. */
export function authenticateWorker(authorization: string | undefined, expected: string): Key {
  const given = authorization?.trim() ?? '';
  if (given === '') throw unauthorized('missing worker key');
  if (isSameKey(given, expected)) return { id: 'key-worker', scopes: ['worker'] };
  if (KEYS.has(given.replace(/^bearer +/i, ''))) throw forbidden();
  throw unauthorized('invalid worker key');
}

const POD_KEY = 'key of ';

/** What the key of a pod may do with that pod where it may do anything (additions 11). */
const OWN_POD: readonly string[] = ['getPod', 'podAction'];

/** Undefined for any other key. Settings decide whether it may read and stop its own pod. */
export function authenticatePod(
  state: State,
  authorization: string | undefined,
  operation: Pick<Row, 'scope'> & { readonly id: string },
  target: string | undefined,
  { podKeys }: ServiceSettings,
): Key | undefined {
  const token = authorization?.trim().replace(/^bearer +/i, '') ?? '';
  const podId = podOfKey(state, token);
  if (podId === undefined) return undefined;
  const isAllowed = podKeys === 'own' && target === podId && OWN_POD.includes(operation.id);
  return { id: `${POD_KEY}${podId}`, scopes: isAllowed ? [operation.scope] : [] };
}

export const isPodKey = (keyId: string): boolean => keyId.startsWith(POD_KEY);
