import type { EpochMs } from '../../core/unit-types.ts';
import type { Scope } from '../contract/rows.ts';
import { forbidden, tooManyRequests, unauthorized } from '../contract/problem.ts';
import { isSameKey, podOfKey, type State, workerKeyOf } from '../state/state.ts';
import type { LocalRequest, Operation, ServiceSettings } from './operation.ts';

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

/** Throws the 401 Problem (specification 5.4). */
export function clientKey({ authorization = '' }: LocalRequest['headers']): Key {
  const text = authorization.trim();
  if (text === '') throw unauthorized('missing bearer token');
  if (!/^bearer +[A-Za-z0-9\-._~+/]+=*$/i.test(text)) throw unauthorized('malformed bearer token');
  const token = tokenOf(text);
  const key = KEYS.get(token);
  if (key === undefined) throw unauthorized(`${token === EXPIRED_KEY ? 'expired' : 'invalid'} bearer token`);
  return key;
}

const tokenOf = (authorization: string): string => authorization.trim().replace(/^bearer +/i, '');

/** As `clientKey`, for keys of workers and pods too. Throws 403 for a client's key where a worker's belongs. */
export function authenticate(
  { authorization = '' }: LocalRequest['headers'],
  operation: Pick<Operation, 'id' | 'service' | 'scope'>,
  params: Readonly<Record<string, string>>,
  settings: ServiceSettings,
  state: State,
): Key {
  const token = tokenOf(authorization);
  if (operation.service === 'worker') {
    if (token === '') throw unauthorized('missing worker key');
    if (isSameKey(authorization.trim(), workerKeyOf(state, params['endpointId'] ?? '')))
      return { id: 'key-worker', scopes: ['worker'] };
    throw KEYS.has(token) ? forbidden() : unauthorized('invalid worker key');
  }
  const podId = podOfKey(state, token);
  if (podId === undefined) return clientKey({ authorization });
  const isAllowed = settings.podKeys === 'own' && params['id'] === podId && OWN_POD.includes(operation.id);
  return { id: `${POD_KEY}${podId}`, scopes: isAllowed ? [operation.scope] : [] };
}

const POD_KEY = 'key of ';

/** What the key of a pod may do with that pod where it may do anything (additions 11). */
const OWN_POD: readonly string[] = ['getPod', 'podAction'];

export const isPodKey = (keyId: string): boolean => keyId.startsWith(POD_KEY);

export const WINDOWS = [
  { name: 'minute', seconds: 60, quota: 1000 },
  { name: 'hour', seconds: 3600, quota: 30_000 },
  { name: 'day', seconds: 86_400, quota: 300_000 },
] as const;

export type Quota = Readonly<Partial<Record<(typeof WINDOWS)[number]['name'], number>>>;

/** The headers. Throws the 429 Problem without counting (specification 7.2, 8.1). Queue operations have other limits. */
export function countRequest(state: State, quota: Quota, now: EpochMs): Readonly<Record<string, string>> {
  const known = (state.windows ??= {});
  const windows = WINDOWS.map(({ name, seconds, quota: usual }) => {
    let current = known[name];
    if (current === undefined || now >= current.startedAt + seconds * 1000)
      current = known[name] = { startedAt: current === undefined ? state.since : now, used: 0 };
    const reset = Math.max(1, Math.ceil((current.startedAt + seconds * 1000 - now) / 1000));
    return { name, seconds, limit: quota[name] ?? usual, current, reset };
  });
  const exceeded = windows.findLast(({ limit, current }) => current.used >= limit);
  if (exceeded === undefined) for (const { current } of windows) current.used += 1;
  const headers = {
    RateLimit: windows
      .map(({ name, limit, current, reset }) => `"${name}";r=${Math.max(0, limit - current.used)};t=${reset}`)
      .join(', '),
    'RateLimit-Policy': windows.map(({ name, limit, seconds }) => `"${name}";q=${limit};w=${seconds}`).join(', '),
  };
  if (exceeded === undefined) return headers;
  throw tooManyRequests(`rate limit exceeded for the ${exceeded.name} window`, exceeded.reset, headers);
}
