/** Rows that are encoded together: few, so that the memory for a group is freed before the next one. */
const GROUP_ROWS = 100;

/** Yields the rows of a list in groups. */
export function* groupsOf<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < rows.length; at += GROUP_ROWS) yield rows.slice(at, at + GROUP_ROWS);
}
