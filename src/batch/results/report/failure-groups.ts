import type { ItemState } from '../../model/item-states.ts';
import { errorPattern } from '../../model/error-text.ts';

/** An item that did not complete, as an example of its group. */
interface FailureExample {
  readonly item: number;
  readonly job: string | undefined;
  readonly error: string;
}

/** Items whose errors are the same except for numbers, ids, paths and addresses. */
interface FailureGroup {
  readonly pattern: string;
  readonly state: ItemState;
  readonly count: number;
  readonly examples: readonly FailureExample[];
}

export interface FailureSummary {
  /** The most frequent group first. */
  readonly groups: readonly FailureGroup[];
  /** Number of items in the groups that are not in `groups`. */
  readonly others: number;
}

/** Maximum number of groups that are counted: the first ones that occur. */
const MAX_GROUPS = 1000;
/** Maximum number of groups that a summary describes. */
const MAX_DESCRIBED = 50;
const MAX_EXAMPLES = 3;

/** Groups failures in limited memory. */
export function createFailureGroups() {
  const groups = new Map<string, { state: ItemState; pattern: string; count: number; examples: FailureExample[] }>();
  let others = 0;
  return {
    add: (state: ItemState, example: FailureExample): void => {
      const pattern = errorPattern(example.error);
      const key = `${state} ${pattern}`;
      let group = groups.get(key);
      if (group === undefined && groups.size < MAX_GROUPS)
        groups.set(key, (group = { state, pattern, count: 0, examples: [] }));
      if (group === undefined) {
        others += 1;
        return;
      }
      group.count += 1;
      const isNew = group.examples.every(({ error }) => error !== example.error);
      if (group.examples.length < MAX_EXAMPLES && isNew) group.examples.push(example);
    },
    summary: (): FailureSummary => {
      const sorted = [...groups.values()].sort((a, b) => b.count - a.count);
      const rest = sorted.slice(MAX_DESCRIBED).reduce((sum, { count }) => sum + count, others);
      return { groups: sorted.slice(0, MAX_DESCRIBED), others: rest };
    },
  };
}

export type FailureGroups = ReturnType<typeof createFailureGroups>;
