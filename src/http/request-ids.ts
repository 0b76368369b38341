/**
 * Returns a function that makes the ids of the requests of one run, such as `5b1f0c9ae2d4-1`: 48 random bits, and the
 * number of the request. All attempts of a request share its id. `random` returns a number from 0 up to, but not
 * including, 1.
 */
export function createRequestIds(random: () => number): () => string {
  let run: string | undefined;
  let count = 0;
  return () => {
    run ??= Math.floor(random() * 2 ** 48)
      .toString(16)
      .padStart(12, '0');
    count += 1;
    return `${run}-${String(count)}`;
  };
}
