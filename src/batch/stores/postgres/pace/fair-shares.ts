/**
 * Divides a whole number of units among claims. `most` holds the number of units that each claim can use. No claim gets more
 * than it can use, what it cannot use goes to the others, and claims that get less than they can use differ by one at most.
 * Single units that are left after an equal division go to other claims at each `turn`. Returns the parts in the order of
 * the claims.
 */
export function fairShares(units: number, most: readonly number[], turn: number): readonly number[] {
  const level = equalPart(units, most);
  const parts = most.map((each) => Math.min(each, level));
  const left = units - sum(parts);
  const open = most.flatMap((each, index) => (each > level ? [index] : []));
  const receivers = new Set(open.map((_, step) => open[(turn + step) % open.length]).slice(0, left));
  return parts.map((part, index) => (receivers.has(index) ? part + 1 : part));
}

/** Returns the largest equal part for all claims that can use it; infinite when every claim gets all that it can use. */
function equalPart(units: number, most: readonly number[]): number {
  let left = units;
  let claims = most.length;
  for (const each of most.toSorted((one, other) => one - other)) {
    if (each * claims > left) return Math.floor(left / claims);
    left -= each;
    claims -= 1;
  }
  return Number.POSITIVE_INFINITY;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
