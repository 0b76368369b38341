/** What the commands of batches print with `--json`. */

import type { DistributionSummary, EXPORT_MEMBERS } from '../../batch/index.ts';
import { COUNT, FAILURE, RANGE_USD } from '../../cli/model/common-schemas.ts';
import {
  ANYTHING,
  either,
  manyOf,
  mapOf,
  NUMBER,
  oneOf,
  orNull,
  type OutputSchema,
  ownObject,
  TEXT,
  TIME,
  WHOLE,
  YES_NO,
} from '../../cli/model/output-schema.ts';

const STATE = oneOf('running', 'ended', 'stopped');

const counts = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, COUNT])) as Readonly<Record<Name, OutputSchema>>;

const SUMMARY = {
  batch: TEXT,
  endpoint: TEXT,
  input: TEXT,
  ...counts('planned', 'completed', 'failed', 'cancelled', 'timedOut', 'expired', 'unknown', 'inFlight', 'waiting'),
  ...counts('invalid', 'resubmitted'),
  unknownItems: manyOf(COUNT),
};

const COST = orNull(RANGE_USD);
const PATTERN = { pattern: TEXT, state: TEXT, count: COUNT };

/** Milliseconds; the quantiles are estimates. */
const TIMES = {
  count: COUNT,
  mean: NUMBER,
  min: NUMBER,
  p50: NUMBER,
  p95: NUMBER,
  p99: NUMBER,
  max: NUMBER,
} satisfies Record<Exclude<keyof DistributionSummary, 'bins'>, OutputSchema>;

export const BATCH_END = ownObject({
  ...SUMMARY,
  tookSeconds: NUMBER,
  executionCostUsd: COST,
  commonestError: orNull(ownObject({ error: TEXT, count: COUNT, sinceResume: YES_NO })),
});

export const BATCH_PLAN = ownObject({
  input: TEXT,
  ...counts('planned', 'invalid', 'inputBytes', 'bodyBytes', 'largestBody', 'removedApostrophes'),
  first: ownObject({ method: TEXT, url: TEXT, headers: mapOf(TEXT), body: ANYTHING }),
});

/** The process that works on a batch. */
const PROCESS = { pid: WHOLE, host: TEXT };

export const BATCH_STATUS = ownObject(
  { ...SUMMARY, state: STATE, begun: TIME },
  {
    ...PROCESS,
    unordered: YES_NO,
    wallSeconds: orNull(NUMBER),
    executionCostUsd: COST,
    executionMs: orNull(ownObject(TIMES)),
    delayMs: orNull(ownObject(TIMES)),
    commonestErrors: manyOf(ownObject(PATTERN)),
  },
);

export const BATCH_LIST = manyOf(
  either(
    ownObject({ batch: TEXT, state: oneOf('broken'), error: FAILURE }),
    ownObject({ ...SUMMARY, state: STATE, begun: TIME }, { ...PROCESS, unordered: YES_NO }),
  ),
);

/** What `batch remove` removed. */
export const BATCH_FILES = manyOf(ownObject({ address: TEXT, bytes: COUNT }));

const DISTRIBUTION = orNull(
  ownObject({ ...TIMES, bins: manyOf(ownObject({ from: NUMBER, to: NUMBER, count: COUNT })) }),
);

export const BATCH_REPORT = ownObject({
  ...SUMMARY,
  state: STATE,
  retried: COUNT,
  begun: TIME,
  lastEnded: orNull(TIME),
  wallSeconds: orNull(NUMBER),
  itemsPerSecond: orNull(NUMBER),
  executionSeconds: orNull(NUMBER),
  executionCostUsd: COST,
  quantileError: NUMBER,
  executionMs: DISTRIBUTION,
  delayMs: DISTRIBUTION,
  timeline: orNull(
    ownObject({
      bucketSeconds: NUMBER,
      buckets: manyOf(ownObject({ at: TIME, completed: COUNT, notCompleted: COUNT })),
    }),
  ),
  failures: manyOf(
    ownObject({ ...PATTERN, examples: manyOf(ownObject({ item: COUNT, error: ANYTHING }, { job: TEXT })) }),
  ),
  otherFailures: COUNT,
});

type ExportMember = (typeof EXPORT_MEMBERS)[number];

/** With `--fields`, and in a CSV, a row has only the named members. */
export const BATCH_EXPORT: OutputSchema = manyOf(
  ownObject(
    {
      item: COUNT,
      id: ANYTHING,
      job: orNull(TEXT),
      status: TEXT,
      output: ANYTHING,
      error: ANYTHING,
      delayTime: orNull(NUMBER),
      executionTime: orNull(NUMBER),
    } satisfies Record<Exclude<ExportMember, 'input'>, OutputSchema>,
    { input: ANYTHING },
  ),
);
