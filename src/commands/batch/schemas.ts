/** What the commands of batches print with `--json`. */

import type { DistributionSummary, EXPORT_MEMBERS } from '../../batch/index.ts';
import { EXIT } from '../../core/exit-codes.ts';
import {
  ANYTHING,
  COUNT,
  manyOf,
  mapOf,
  NUMBER,
  oneOf,
  orNull,
  type OutputSchema,
  ownObject,
  rangeSchema,
  TEXT,
  TIME,
  WHOLE,
  YES_NO,
} from '../../cli/model/output-schema.ts';

/** 9 after `--max-time`. */
export const RUN_EXITS = [EXIT.waitEnded, EXIT.batchIncomplete];

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

/** Of several results files. */
const SHARDS = {
  shards: manyOf(ownObject({ shard: COUNT, state: STATE, ...SUMMARY })),
  missingShards: manyOf(COUNT),
};

const COST = orNull(rangeSchema());

export const BATCH_END = ownObject({
  ...SUMMARY,
  tookSeconds: NUMBER,
  executionCostUsd: COST,
  commonestError: orNull(ownObject({ error: TEXT, count: COUNT })),
});

export const BATCH_PLAN = ownObject({
  input: TEXT,
  ...counts('planned', 'invalid', 'inputBytes', 'bodyBytes', 'largestBody'),
  first: ownObject({ method: TEXT, url: TEXT, headers: mapOf(TEXT), body: ANYTHING }),
});

export const BATCH_STATUS = ownObject(
  { ...SUMMARY, state: STATE, begun: TIME },
  {
    // Of the process that works on it.
    pid: WHOLE,
    host: TEXT,
    unordered: YES_NO,
    ...SHARDS,
  },
);

/** Milliseconds; the quantiles are estimates. */
const DISTRIBUTION = orNull(
  ownObject({
    count: COUNT,
    mean: NUMBER,
    min: NUMBER,
    p50: NUMBER,
    p95: NUMBER,
    p99: NUMBER,
    max: NUMBER,
    bins: manyOf(ownObject({ from: NUMBER, to: NUMBER, count: COUNT })),
  } satisfies Record<keyof DistributionSummary, OutputSchema>),
);

export const BATCH_REPORT = ownObject(
  {
    ...SUMMARY,
    state: STATE,
    begun: TIME,
    lastEnded: orNull(TIME),
    wallSeconds: orNull(NUMBER),
    itemsPerSecond: orNull(NUMBER),
    executionCostUsd: COST,
    executionMs: DISTRIBUTION,
    delayMs: DISTRIBUTION,
    failures: manyOf(
      ownObject({
        pattern: TEXT,
        state: TEXT,
        count: COUNT,
        examples: manyOf(ownObject({ item: COUNT, error: ANYTHING }, { job: TEXT })),
      }),
    ),
    otherFailures: COUNT,
  },
  SHARDS,
);

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
