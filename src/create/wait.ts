/** Which offer a wait for capacity tries next. Times are milliseconds of a clock that never goes back. */
import { formatDollars } from '../core/units.ts';
import { isTooExpensive, nameOf, type Offer } from './candidates.ts';

/** An offer is never tried again sooner. */
export const LEAST_MS = 15_000;
/** After refusals one after the other the pause doubles, up to this. */
const MOST_MS = 300_000;
/** The catalog may lag: what has no stock by the catalog is tried all the same after this time. */
const PROBE_MS = 600_000;

/** What became of an offer so far. */
export interface Tried {
  readonly at: number;
  /** Refusals one after the other. */
  readonly refusals: number;
  /** Why there is no pod of it. */
  readonly why: string;
  /** It is not tried again. */
  readonly isLeft?: true;
}

/** What was tried, by the names of offers. */
export type Tries = ReadonlyMap<string, Tried>;

/** The tries with another refusal of an offer. */
export function withRefusal(tries: Tries, offer: Offer, refusal: Omit<Tried, 'refusals'>): Tries {
  const refusals = (tries.get(nameOf(offer))?.refusals ?? 0) + 1;
  return new Map([...tries, [nameOf(offer), { ...refusal, refusals }]]);
}

/** When an offer may be tried again. */
const nextAt = ({ at, refusals }: Tried): number => at + Math.min(LEAST_MS * 2 ** Math.max(0, refusals - 1), MOST_MS);

const hasStock = ({ stock }: Offer): boolean => stock !== 'NONE';

/** What a wait knows beside its offers. */
export interface WaitFacts {
  readonly tries: Tries;
  readonly maxPrice: number | undefined;
  readonly beganAt: number;
  readonly now: number;
}

/** The offers to try now, in their order. */
export const dueOffers = (offers: readonly Offer[], { tries, maxPrice, beganAt, now }: WaitFacts): readonly Offer[] =>
  offers.filter((offer) => {
    const tried = tries.get(nameOf(offer));
    if (tried?.isLeft === true || isTooExpensive(offer, maxPrice)) return false;
    if (hasStock(offer)) return tried === undefined || nextAt(tried) <= now;
    return Math.max(tried?.at ?? beganAt, beganAt) + PROBE_MS <= now;
  });

/** The offers that are tried once: those in stock, and all where the catalog has none in stock. */
export function offersOnce(offers: readonly Offer[], maxPrice: number | undefined): readonly Offer[] {
  const allowed = offers.filter((offer) => !isTooExpensive(offer, maxPrice));
  const inStock = allowed.filter(hasStock);
  return inStock.length > 0 ? inStock : allowed;
}

/** Whether no offer will ever be tried again. */
export const isExhausted = (offers: readonly Offer[], tries: Tries): boolean =>
  offers.every((offer) => tries.get(nameOf(offer))?.isLeft === true);

/** What is said of the offers while nothing is placed: `GPU-80G in EU-NORTH-1: none; GPU-48G: no room`. */
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
