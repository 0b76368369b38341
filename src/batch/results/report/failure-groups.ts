import type { ItemState } from '../../model/item-states.ts';
import { errorPattern } from '../../model/error-text.ts';

/** An item that did not complete, as an example of its group. */
interface FailureExample {
  readonly item: number;
  readonly job: string | undefined;
  readonly error: string;
}

/** What has errors that are the same except for numbers, ids, paths and addresses, and ended in the same way. */
interface FailureGroup<State, Example> {
  readonly pattern: string;
  readonly state: State;
  readonly count: number;
  readonly examples: readonly Example[];
}

export interface FailureSummary<State = ItemState, Example = FailureExample> {
  /** The most frequent group first. */
  readonly groups: readonly FailureGroup<State, Example>[];
  /** Number of items in the groups that are not in `groups`. */
  readonly others: number;
}

/** Maximum number of groups that are counted: the first ones that occur. */
const MAX_GROUPS = 1000;
/** Maximum number of groups that a summary describes. */
const MAX_DESCRIBED = 50;
const MAX_EXAMPLES = 3;

/** Groups failures in limited memory. */
export function createFailureGroups<
  State extends string = ItemState,
  Example extends Pick<FailureExample, 'error'> = FailureExample,
>() {
  const groups = new Map<string, { state: State; pattern: string; count: number; examples: Example[] }>();
  let others = 0;
  return {
    add: (state: State, example: Example): void => {
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
    summary: (): FailureSummary<State, Example> => {
      const sorted = [...groups.values()].sort((a, b) => b.count - a.count);
      const rest = sorted.slice(MAX_DESCRIBED).reduce((sum, { count }) => sum + count, others);
      return { groups: sorted.slice(0, MAX_DESCRIBED), others: rest };
    },
  };
}
