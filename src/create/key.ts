/** In the pod's environment, visible to every machine: the service has no idempotency (contract rules). */
import { usage } from '../core/failure.ts';
import { type Json, type JsonObject, memberAt, memberOf, objectOf, stringAt, stringOf } from '../core/json.ts';
import { compareBytes } from '../core/text.ts';

const CREATE_KEY = 'BERTH_CREATE_KEY';

/** Of one request: the run that sent it may terminate the pod it made. */
const CREATE_ATTEMPT = 'BERTH_CREATE_ATTEMPT';

/** The set of files that made the resource: `apply --set-name`. */
export const SET_MARK = 'BERTH_SET';

/** The document of which `apply` made a pod or endpoint: its set, kind and name. */
export const APPLY_MARK = 'BERTH_APPLY';

const MADE_BY: readonly string[] = [CREATE_KEY, CREATE_ATTEMPT, SET_MARK, APPLY_MARK];

/** 1 to 100 letters, digits, `.`, `_`, `-`. Usage (2). */
export function checkKey(key: string): void {
  if (!/^[\w.-]{1,100}$/.test(key))
    throw usage(
      `--idempotency-key takes 1 to 100 letters, digits and . _ -, not ${JSON.stringify(key)}`,
      'Such as train-2026-11-23.',
    );
}

export const withKey = (body: JsonObject, key: string, attempt: string): JsonObject => ({
  ...body,
  env: { ...objectOf(body['env']), [CREATE_KEY]: key, [CREATE_ATTEMPT]: attempt },
});

/** A copy must not claim the original's key. */
export function withoutKey(body: JsonObject): JsonObject {
  const env = objectOf(body['env']);
  if (env === undefined) return body;
  const others = Object.fromEntries(Object.entries(env).filter(([name]) => !MADE_BY.includes(name)));
  return { ...body, env: others };
}

export const variableOf = (row: Json, name: string): string | undefined =>
  stringOf(memberOf(memberAt(row, 'env'), name));

export const keyOf = (pod: Json): string | undefined => variableOf(pod, CREATE_KEY);

export const attemptOf = (pod: Json): string | undefined => variableOf(pod, CREATE_ATTEMPT);

export const podsOfKey = (pods: readonly Json[], key: string): readonly Json[] =>
  byAge(pods.filter((pod) => variableOf(pod, CREATE_KEY) === key && stringAt(pod, 'status') !== 'TERMINATED'));

/** Oldest first, the same order on every machine: the first of two stays. */
export const byAge = (rows: readonly Json[]): readonly Json[] =>
  rows.toSorted((one, other) => compareBytes(ageOf(one), ageOf(other)));

const ageOf = (row: Json): string => `${stringAt(row, 'createdAt') ?? '~'} ${stringAt(row, 'id') ?? ''}`;
