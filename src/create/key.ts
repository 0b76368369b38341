/**
 * The key of a create: it is in the environment of the pod, so that every machine can see whether the pod was made already.
 * The service has no idempotency of its own (contract rules, Management API).
 */
import { usage } from '../core/failure.ts';
import { type Json, type JsonObject, memberAt, memberOf, objectOf, stringAt, stringOf } from '../core/json.ts';

/** The variable that holds the key of the create that made a pod. */
const CREATE_KEY = 'BERTH_CREATE_KEY';

/** The variable that tells the requests of one key apart. Whoever sent a request may terminate what it made. */
const CREATE_ATTEMPT = 'BERTH_CREATE_ATTEMPT';

/** The variable that names the set of files that made a pod, an endpoint or a template: `apply --set-name`. */
export const SET_MARK = 'BERTH_SET';

const MADE_BY: readonly string[] = [CREATE_KEY, CREATE_ATTEMPT, SET_MARK];

/** Refuses a key that is not 1 to 100 letters, digits and `.`, `_`, `-`: usage (2). */
export function checkKey(key: string): void {
  if (!/^[\w.-]{1,100}$/.test(key))
    throw usage(
      `--idempotency-key takes 1 to 100 letters, digits and . _ -, not ${JSON.stringify(key)}`,
      'Such as train-2026-11-23.',
    );
}

/** The body of a create with its key and its attempt among the variables. */
export const withKey = (body: JsonObject, key: string, attempt: string): JsonObject => ({
  ...body,
  env: { ...objectOf(body['env']), [CREATE_KEY]: key, [CREATE_ATTEMPT]: attempt },
});

/** A body made of another thing, without what says who made that one: they are not the same. */
export function withoutKey(body: JsonObject): JsonObject {
  const env = objectOf(body['env']);
  if (env === undefined) return body;
  const others = Object.fromEntries(Object.entries(env).filter(([name]) => !MADE_BY.includes(name)));
  return { ...body, env: others };
}

/** A variable of a row; undefined where it has none of the name. */
export const variableOf = (row: Json, name: string): string | undefined =>
  stringOf(memberOf(memberAt(row, 'env'), name));

/** The attempt that made a pod. */
export const attemptOf = (pod: Json): string | undefined => variableOf(pod, CREATE_ATTEMPT);

/**
 * The pods of a key that are there, the oldest first. All that look at the same list see the same order: the pod that is first
 * stays.
 */
export const podsOfKey = (pods: readonly Json[], key: string): readonly Json[] =>
  pods
    .filter((pod) => memberOf(memberAt(pod, 'env'), CREATE_KEY) === key && stringAt(pod, 'status') !== 'TERMINATED')
    .toSorted(
      (a, b) => createdAt(a) - createdAt(b) || ((stringAt(a, 'id') ?? '') < (stringAt(b, 'id') ?? '') ? -1 : 1),
    );

function createdAt(pod: Json): number {
  const at = Date.parse(stringAt(pod, 'createdAt') ?? '');
  return Number.isNaN(at) ? Number.MAX_SAFE_INTEGER : at;
}
