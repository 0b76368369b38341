/** Times are monotonic milliseconds. */
import { formatDollars } from '../core/units.ts';
import { isTooExpensive, nameOf, type Offer } from './candidates.ts';

/** Minimum pause per offer. */
export const LEAST_MS = 15_000;
/** Maximum pause; it doubles with each refusal in a row. */
const MOST_MS = 300_000;
/** The catalog may lag: an offer without stock is tried after this time. */
const PROBE_MS = 600_000;

export interface Tried {
  readonly at: number;
  /** In a row. */
  readonly refusals: number;
  readonly why: string;
  /** Not tried again. */
  readonly isLeft?: true;
}

/** By name of offer. */
export type Tries = ReadonlyMap<string, Tried>;

export function withRefusal(tries: Tries, offer: Offer, refusal: Omit<Tried, 'refusals'>): Tries {
  const refusals = (tries.get(nameOf(offer))?.refusals ?? 0) + 1;
  return new Map([...tries, [nameOf(offer), { ...refusal, refusals }]]);
}

const nextAt = ({ at, refusals }: Tried): number => at + Math.min(LEAST_MS * 2 ** Math.max(0, refusals - 1), MOST_MS);

const hasStock = ({ stock }: Offer): boolean => stock !== 'NONE';

export interface WaitFacts {
  readonly tries: Tries;
  readonly maxPrice: number | undefined;
  readonly beganAt: number;
  readonly now: number;
}

export const dueOffers = (offers: readonly Offer[], { tries, maxPrice, beganAt, now }: WaitFacts): readonly Offer[] =>
  offers.filter((offer) => {
    const tried = tries.get(nameOf(offer));
    if (tried?.isLeft === true || isTooExpensive(offer, maxPrice)) return false;
    if (hasStock(offer)) return tried === undefined || nextAt(tried) <= now;
    return Math.max(tried?.at ?? beganAt, beganAt) + PROBE_MS <= now;
  });

/** Those in stock, or all if none is. */
export function offersOnce(offers: readonly Offer[], maxPrice: number | undefined): readonly Offer[] {
  const allowed = offers.filter((offer) => !isTooExpensive(offer, maxPrice));
  const inStock = allowed.filter(hasStock);
  return inStock.length > 0 ? inStock : allowed;
}

export const isExhausted = (offers: readonly Offer[], tries: Tries): boolean =>
  offers.every((offer) => tries.get(nameOf(offer))?.isLeft === true);

export const describeOffers = (offers: readonly Offer[], tries: Tries, maxPrice: number | undefined): string =>
  offers
    .map((offer) => {
      const { stock = 'stock unknown' } = offer;
      const tried = tries.get(nameOf(offer));
      const why = tried === undefined || (tried.isLeft !== true && !hasStock(offer)) ? stock.toLowerCase() : tried.why;
      const { price } = offer;
      const cost = isTooExpensive(offer, maxPrice)
        ? `costs ${price === undefined ? 'an unknown price' : formatDollars(price)}`
        : why;
      return `${nameOf(offer)}: ${cost}`;
    })
    .join('; ');
