/** How many items of a part ended in a second. */
export type EndsInSecond = readonly [
  /** When the second begins, in seconds since the epoch. */
  at: number,
  completed: number,
  notCompleted: number,
];

/** Counts ends by the second in which they were. `at` is in milliseconds since the epoch. */
export function endsBySecond(
  ends: readonly { readonly at: number; readonly completed: boolean }[],
): readonly EndsInSecond[] {
  const counts = new Map<number, [completed: number, notCompleted: number]>();
  for (const { at, completed } of ends) {
    const second = Math.floor(at / 1000);
    const count = counts.get(second) ?? [0, 0];
    count[completed ? 0 : 1] += 1;
    counts.set(second, count);
  }
  return [...counts].map(([at, [completed, notCompleted]]) => [at, completed, notCompleted]);
}
