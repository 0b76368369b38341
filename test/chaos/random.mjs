/** Pseudo-random numbers: the same seed gives the same numbers. */

/** Returns a generator for a seed. `next()` returns a number from 0 up to 1, excluding 1. */
export function createRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (least, most) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    /** Returns a whole number, both limits included. */
    int,
    chance: (probability) => next() < probability,
    pick: (list) => list[int(0, list.length - 1)],
    hex: (digits) => Array.from({ length: digits }, () => int(0, 15).toString(16)).join(''),
  };
}

/** Returns the seed of one round. Rounds are independent, so that one can be run alone. */
export const roundSeed = (seed, round) => (Math.imul(seed ^ 0x9e3779b9, 2654435761) + Math.imul(round, 40503)) >>> 0;
