/** Returns sorted whole numbers as text: `3, 17-20, 40`. */
export const rangesOf = (numbers: Iterable<number>): string =>
  groupNumbers(numbers)
    .map(([from, to]) => (from === to ? String(from) : `${String(from)}-${String(to)}`))
    .join(', ');

/** Groups sorted whole numbers into ranges of consecutive ones: the first and the last of each. */
export function groupNumbers(numbers: Iterable<number>): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}
