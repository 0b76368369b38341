import { createJobIds, type JobIds } from '../../../model/job-id-set.ts';

const WINDOW = 500_000;

/** Creates a set that remembers at least the latest half a million ids: a driver of a huge batch cannot keep all. */
export function createJobIdWindow(): JobIds {
  let [current, before] = [createJobIds(WINDOW), createJobIds(1)];
  let count = 0;
  return {
    add: (id) => {
      if (count === WINDOW) {
        [current, before] = [createJobIds(WINDOW), current];
        count = 0;
      }
      count += 1;
      const isNew = before.add(id);
      return current.add(id) && isNew;
    },
  };
}
