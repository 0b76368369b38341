/** The requests that creates of this machine have sent for a key, as they are kept on disk. */
import { itemsAt, type Json, type JsonObject, memberAt, objectAt, stringAt, stringOf } from '../core/json.ts';
import { attemptOf, podsOfKey } from './key.ts';

/** `sent`: unknown outcome. `made`: in no list yet. `seen`: listed. `over`: no pod, or terminated. */
export type AttemptState = 'sent' | 'made' | 'seen' | 'over';

const STATES: readonly AttemptState[] = ['sent', 'made', 'seen', 'over'];

/** Its pod may exist although no list has it. */
export const isOpen = ({ state }: Attempt): boolean => state === 'sent' || state === 'made';

export interface Attempt {
  readonly id: string;
  readonly state: AttemptState;
  readonly pod?: string;
}

/** Most recently used keys last. */
export type Attempts = ReadonlyMap<string, readonly Attempt[]>;

/** Besides those with an unknown outcome. */
const MAX_KEYS = 500;
const MAX_ATTEMPTS = 20;

/** Skips anything else. */
export const decodeAttempts = (document: Json | undefined): Attempts =>
  new Map(
    Object.entries(objectAt(document, 'attempts') ?? {}).map(([key, value]): [string, readonly Attempt[]] => [
      key,
      itemsAt({ value }, 'value').flatMap((item): Attempt[] => {
        const [id, pod] = [stringAt(item, 'id'), stringOf(memberAt(item, 'pod'))];
        const state = STATES.find((each) => each === memberAt(item, 'state'));
        return id === undefined || state === undefined ? [] : [{ id, state, ...(pod === undefined ? {} : { pod }) }];
      }),
    ]),
  );

export function encodeAttempts(attempts: Attempts): JsonObject {
  const all = [...attempts].map(([key, each]) => [key, bounded(each)] as const);
  const kept = all.filter(([, each], at) => at >= all.length - MAX_KEYS || each.some(isOpen));
  return Object.fromEntries(kept.map(([key, each]) => [key, each.map((attempt) => ({ ...attempt }))]));
}

/** Unknown outcomes are never dropped. */
const bounded = (attempts: readonly Attempt[]): readonly Attempt[] =>
  attempts.filter((attempt, at) => isOpen(attempt) || at >= attempts.length - MAX_ATTEMPTS);

/** Its key becomes the last. */
export function withAttempt(attempts: Attempts, key: string, attempt: Attempt): Attempts {
  const { [key]: before = [], ...others } = Object.fromEntries(attempts);
  const found = before.some(({ id }) => id === attempt.id);
  const after = found ? before.map((each) => (each.id === attempt.id ? attempt : each)) : [...before, attempt];
  return new Map([...Object.entries(others), [key, after]]);
}

export interface Finding {
  /** The oldest. */
  readonly pod: Json | undefined;
  /** Younger pods made by this machine: terminated. */
  readonly surplus: readonly Json[];
  /** Younger pods of other machines, which terminate them. */
  readonly others: readonly Json[];
  /** An unlisted attempt may have made a pod. */
  readonly isOpen: boolean;
}

/** The list must be complete. */
export function findingOf(pods: readonly Json[], key: string, attempts: readonly Attempt[]): Finding {
  const ended = attempts.flatMap(({ state, pod }) => (state === 'over' && pod !== undefined ? [pod] : []));
  const [pod, ...younger] = podsOfKey(pods, key).filter((each) => !ended.includes(stringAt(each, 'id') ?? ''));
  const seen = [pod, ...younger].map((each) => attemptOf(each ?? null));
  const isOwn = (each: Json): boolean => attempts.some(({ id }) => id === attemptOf(each));
  return {
    pod,
    surplus: younger.filter(isOwn),
    others: younger.filter((each) => !isOwn(each)),
    isOpen: attempts.some((attempt) => isOpen(attempt) && !seen.includes(attempt.id)),
  };
}
