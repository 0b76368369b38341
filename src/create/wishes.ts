/** Pods that are wished for: what `pods create --detach` leaves to the guards of this machine. */
import {
  isObject,
  itemsAt,
  memberAt,
  numberAt,
  numberOf,
  objectAt,
  stringAt,
  stringsOf,
  type Json,
  type JsonObject,
} from '../core/json.ts';
import type { Wanted } from './candidates.ts';
import type { EpochMs } from '../core/unit-types.ts';

/** `waiting`: it is tried. `made`: there is a pod. `over`: its time is over. `refused`: no candidate can help. */
export const WISH_STATES = ['waiting', 'made', 'over', 'refused', 'cancelled'] as const;
export type WishState = (typeof WISH_STATES)[number];

/** A pod that is wished for. Times are the service's. */
export interface Wish {
  /** The key of its create. */
  readonly key: string;
  readonly state: WishState;
  readonly body: JsonObject;
  readonly wanted: Wanted;
  readonly until: EpochMs;
  readonly triedAt?: EpochMs;
  /** The pod, once there is one. */
  readonly pod?: string;
  /** Why there is none. */
  readonly why?: string;
}

/** The most wishes that are kept after they have ended. */
const MAX_ENDED = 50;

/** Reads what `encodeWishes` wrote; what is anything else is left out. */
export const decodeWishes = (document: Json): readonly Wish[] => itemsAt(document, 'wishes').flatMap(decode);

function decode(item: Json): readonly Wish[] {
  const [key, until] = [stringAt(item, 'key'), numberAt(item, 'until')];
  const state = WISH_STATES.find((each) => each === memberAt(item, 'state'));
  const [body, wanted] = [memberAt(item, 'body'), objectAt(item, 'wanted')];
  if (key === undefined || until === undefined || state === undefined || !isObject(body) || wanted === undefined)
    return [];
  const [pod, why, triedAt] = [stringAt(item, 'pod'), stringAt(item, 'why'), numberAt(item, 'triedAt')];
  return [
    {
      key,
      state,
      body,
      until,
      wanted: {
        gpus: stringsOf(wanted['gpus']),
        dataCenters: stringsOf(wanted['dataCenters']),
        count: numberOf(wanted['count']) ?? 1,
        cloud: wanted['cloud'] === 'COMMUNITY' ? 'COMMUNITY' : 'SECURE',
        maxPrice: numberOf(wanted['maxPrice']),
        prefer: wanted['prefer'] === 'price' ? 'price' : 'order',
      },
      ...(pod === undefined ? {} : { pod }),
      ...(why === undefined ? {} : { why }),
      ...(triedAt === undefined ? {} : { triedAt }),
    },
  ];
}

/** Wishes as they are kept. Of those that have ended, the last ones, without their variables, which may be secret. */
export function encodeWishes(wishes: readonly Wish[]): readonly Json[] {
  const ended = wishes.filter(({ state }) => state !== 'waiting');
  return wishes
    .filter((wish) => wish.state === 'waiting' || ended.indexOf(wish) >= ended.length - MAX_ENDED)
    .map(({ wanted: { maxPrice, ...wanted }, body, ...wish }) => {
      const { env: _env, ...others } = body;
      return {
        ...wish,
        wanted: { ...wanted, ...(maxPrice === undefined ? {} : { maxPrice }) },
        body: wish.state === 'waiting' ? body : others,
      };
    });
}

/**
 * The wishes with a change of the one that waits with a key; the same where none does. What an earlier try found does not
 * hold any more.
 */
export const withChange = (wishes: readonly Wish[], key: string, change: Partial<Wish>): readonly Wish[] =>
  wishes.map((wish) => {
    if (wish.key !== key || wish.state !== 'waiting') return wish;
    const { why: _why, ...others } = wish;
    return { ...others, ...change };
  });
