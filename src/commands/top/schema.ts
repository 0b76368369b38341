import { COUNT } from '../../cli/model/common-schemas.ts';
import { either, manyOf, mapOf, NUMBER, oneOf, orNull, ownObject, TEXT, TIME } from '../../cli/model/output-schema.ts';

const [MAYBE, TOTAL] = [orNull(NUMBER), orNull(COUNT)];
const SHARED = {
  at: TIME,
  id: TEXT,
  name: TEXT,
  costPerHour: MAYBE,
  costToday: MAYBE,
  createdAt: orNull(TEXT),
  readSecondsAgo: MAYBE,
};

/** The rows of `top` with an output flag: of pods and of endpoints. */
export const TOP_ROWS = manyOf(
  either(
    ownObject({
      ...SHARED,
      kind: oneOf('pod'),
      status: TEXT,
      gpuUtil: MAYBE,
      gpuMemoryUtil: MAYBE,
      cpuUtil: MAYBE,
      memoryUtil: MAYBE,
    }),
    ownObject({
      ...SHARED,
      kind: oneOf('endpoint'),
      type: TEXT,
      inQueue: TOTAL,
      inProgress: TOTAL,
      workers: mapOf(NUMBER),
      completed: TOTAL,
      failed: TOTAL,
      completedPerMinute: MAYBE,
      failedPerMinute: MAYBE,
    }),
  ),
);
