import type { Scope } from './operation.ts';
import { forbidden, unauthorized } from '../contract/problem.ts';

/** The full-access key. Every key here is public by design: it opens nothing but a local service. */
export const LOCAL_KEY = 'berth-local-full-access';
export const READ_ONLY_KEY = 'berth-local-read-only';
export const JOBS_ONLY_KEY = 'berth-local-jobs-only';
export const EXPIRED_KEY = 'berth-local-expired';

export interface Key {
  readonly id: string;
  readonly scopes: readonly Scope[];
  readonly expired: boolean;
}

const KEYS: ReadonlyMap<string, Key> = new Map([
  [LOCAL_KEY, { id: 'key-full-access', scopes: ['read', 'write', 'jobs', 'control'], expired: false }],
  [READ_ONLY_KEY, { id: 'key-read-only', scopes: ['read'], expired: false }],
  [JOBS_ONLY_KEY, { id: 'key-jobs-only', scopes: ['jobs'], expired: false }],
  [EXPIRED_KEY, { id: 'key-expired', scopes: ['read', 'write', 'jobs', 'control'], expired: true }],
]);

/** The key that signed a request. Throws the 401 Problem of its kind (specification 5.4). */
export function authenticate(authorization: string | null): Key {
  if (authorization === null || authorization.trim() === '') throw unauthorized('missing bearer token');
  const token = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization.trim())?.[1];
  if (token === undefined) throw unauthorized('malformed bearer token');
  const key = KEYS.get(token);
  if (key === undefined) throw unauthorized('invalid bearer token');
  if (key.expired) throw unauthorized('expired bearer token');
  return key;
}

/** Throws the 403 Problem where the key was not granted what the operation needs (specification 5.5). */
export function authorize(key: Key, scope: Scope): void {
  if (!key.scopes.includes(scope)) throw forbidden();
}
