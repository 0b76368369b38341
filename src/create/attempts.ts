/** The requests that creates of this machine have sent for a key, as they are kept on disk. */
import { itemsAt, memberAt, objectAt, stringAt, stringOf, type Json, type JsonObject } from '../core/json.ts';
import { attemptOf, podsOfKey } from './key.ts';

/**
 * `sent`: its outcome is not known. `made`: the answer named its pod, which no list had yet. `seen`: a list had its pod. `over`:
 * it made none, or the pod was terminated by its maker.
 */
export type AttemptState = 'sent' | 'made' | 'seen' | 'over';

const STATES: readonly AttemptState[] = ['sent', 'made', 'seen', 'over'];

/** Whether a pod of an attempt may be there although no list had it. */
export const isOpen = ({ state }: Attempt): boolean => state === 'sent' || state === 'made';

export interface Attempt {
  /** The value of its variable. */
  readonly id: string;
  readonly state: AttemptState;
  /** The pod that it made, where it is known. */
  readonly pod?: string;
}

/** The attempts of each key, the keys that were used last at the end. */
export type Attempts = ReadonlyMap<string, readonly Attempt[]>;

/** The most keys that are kept, beside those with an outcome that is not known. */
const MAX_KEYS = 500;
/** The most attempts of a key that are kept. */
const MAX_ATTEMPTS = 20;

/** Reads what `encodeAttempts` wrote; what is anything else is left out. */
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

/** What is not known is never dropped. */
const bounded = (attempts: readonly Attempt[]): readonly Attempt[] =>
  attempts.filter((attempt, at) => isOpen(attempt) || at >= attempts.length - MAX_ATTEMPTS);

/** The attempts with one of them added or changed; its key becomes the last. */
export function withAttempt(attempts: Attempts, key: string, attempt: Attempt): Attempts {
  const { [key]: before = [], ...others } = Object.fromEntries(attempts);
  const found = before.some(({ id }) => id === attempt.id);
  const after = found ? before.map((each) => (each.id === attempt.id ? attempt : each)) : [...before, attempt];
  return new Map([...Object.entries(others), [key, after]]);
}

/** What a whole list says about a key. */
export interface Finding {
  /** The pod that stays: the oldest. */
  readonly pod: Json | undefined;
  /** Younger pods that attempts of this machine made: they are terminated. */
  readonly surplus: readonly Json[];
  /** Younger pods of other machines, which terminate them. */
  readonly others: readonly Json[];
  /** Whether an attempt is not in the list that may have made a pod. */
  readonly isOpen: boolean;
}

/** What a whole list says about a key, of which this machine sent these attempts. */
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
