import type { BatchSettings, BatchStatus, Resubmittable } from '../../batch/index.ts';
import { arg, option, type ValuesOf } from '../../cli/model/params.ts';
import { DURATION_BOUNDS, RATE_LIMITS } from '../../queue/limits.ts';

export const policyOptions = {
  executionTimeout: option.duration(
    "execution limit of a job, 5s to 7d (default: the endpoint's)",
    's',
    DURATION_BOUNDS.executionTimeout,
  ),
  ttl: option.duration('lifetime of a job, queue and run together, 10s to 7d', 's', DURATION_BOUNDS.ttl),
  lowPriority: option.on('let other jobs go first'),
};

/** Kept by a batch: a resume needs only those that change. */
export const settingOptions = {
  concurrency: option.count('requests at once, at most (default 32)', 1, { most: 10_000 }),
  rate: option.count(`submissions per second, at most (default ${RATE_LIMITS.run.rate})`, 1),
  inFlight: option.count('jobs at the service at once, at most (default 1000)', 1),
  maxFailures: option.count('stop submitting after more than N failures', 0),
  maxTime: option.duration('stop the batch after this time; it can be resumed', 's'),
  retryFailed: option.count('retry failed and timed-out jobs, at most this often', 0),
  ...policyOptions,
};

/** Of one batch, or of shards of one. */
export const resultsArg = arg.many('results file of the batch; several of its shards', {
  metavar: 'RESULTS',
  complete: 'file',
});

export const failedOkOption = option.on('end 0 also if items did not complete');

/** Only those that were given. */
export function settingsOf(values: ValuesOf<typeof settingOptions>): BatchSettings {
  const names = Object.keys(settingOptions) as (keyof typeof settingOptions)[];
  return Object.fromEntries(
    names.flatMap((name) => (values[name] === undefined || values[name] === false ? [] : [[name, values[name]]])),
  );
}

export const RESUBMIT_STATES = {
  failed: 'failed',
  expired: 'expired',
  'timed-out': 'timedOut',
  cancelled: 'cancelled',
  unknown: 'unknown',
} as const satisfies Readonly<Record<string, Resubmittable>>;

export const statesOf = <State>(table: Readonly<Record<string, State>>, words: readonly string[]): readonly State[] =>
  Object.entries(table).flatMap(([word, state]) => (words.includes(word) ? [state] : []));

export const missingShards = ({ missingShards: missing = [], shards = [] }: BatchStatus): readonly string[] =>
  missing.length === 0 ? [] : [`missing shards: ${rangesOf(missing)} of ${shards[0]?.shard?.of ?? 0}`];

export const rangesOf = (numbers: Iterable<number>): string =>
  groupNumbers(numbers)
    .map(([from, to]) => (from === to ? String(from) : `${String(from)}-${String(to)}`))
    .join(', ');

export function groupNumbers(numbers: Iterable<number>): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}
