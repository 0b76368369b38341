/** Whether endpoints had jobs, by their samples. */
import { numberOf, objectAt, numberAt, stringAt, type Json } from '../../core/json.ts';
import { withSeen, type Sample, type SampleKind, type Seen, type Tracks } from './tracks.ts';
import type { EpochMs } from '../../core/unit-types.ts';

/** Whether there was a job since the sample before. */
export interface JobSample extends Sample {
  readonly hadJobs: boolean;
}

/** What was seen of endpoints, by `endpointKey`. The row of a track has the counts of its jobs. */
export type EndpointTracks = Tracks<JobSample>;

/** `[AT, 0|1]`. */
export const JOB_SAMPLES: SampleKind<JobSample> = {
  merge: (later, earlier) => ({ at: later.at, hadJobs: later.hadJobs || earlier.hadJobs }),
  encode: ({ at, hadJobs }) => [at, Number(hadJobs)],
  decode: ([at, hadJobs]) => (at === undefined || hadJobs === undefined ? undefined : { at, hadJobs: hadJobs !== 0 }),
};

export const endpointKey = (endpoint: Json): string =>
  `${stringAt(endpoint, 'id') ?? ''} ${stringAt(endpoint, 'createdAt') ?? ''}`;

/** The health of endpoints by their ids; undefined where it could not be read. */
export type HealthById = ReadonlyMap<string, Json | undefined>;

/** The members of `jobs` that say how many jobs there are now; all others count what has ended (specification 4.5). */
const DEPTHS = ['inQueue', 'inProgress'];
const COUNTS = ['completed', 'failed', 'retried'];

/**
 * Adds what the health of endpoints shows now. An endpoint had jobs where it has some, where a worker runs, and where one of
 * its counts is another than before. What is missing is unknown: the sample after it covers that time, if it is short.
 */
export const withJobs = (
  before: EndpointTracks,
  endpoints: readonly Json[],
  health: HealthById,
  now: EpochMs,
): EndpointTracks =>
  withSeen(
    before,
    endpoints.map((endpoint): Seen<JobSample> => {
      const [key, id] = [endpointKey(endpoint), stringAt(endpoint, 'id') ?? ''];
      const counted = stringAt(before.get(key)?.row, 'counts');
      const row = (counts: string | undefined) => ({ id, ...(counts === undefined ? {} : { counts }) });
      const found = countsOf(health.get(id));
      if (found === undefined) return { key, row: row(counted), sample: undefined };
      const sample = counted === undefined ? undefined : { at: now, hadJobs: found.isBusy || found.counts !== counted };
      return { key, row: row(found.counts), sample };
    }),
    now,
    JOB_SAMPLES,
  );

function countsOf(health: Json | undefined): { readonly isBusy: boolean; readonly counts: string } | undefined {
  const jobs = objectAt(health, 'jobs') ?? {};
  const running = numberAt(health, 'workers.running');
  if (running === undefined || [...DEPTHS, ...COUNTS].some((name) => numberOf(jobs[name]) === undefined))
    return undefined;
  const counts = Object.entries(jobs)
    .filter(([name]) => !DEPTHS.includes(name))
    .map(([name, value]) => `${name}=${numberOf(value) ?? '?'}`)
    .toSorted()
    .join(' ');
  return { isBusy: running > 0 || DEPTHS.some((name) => (numberOf(jobs[name]) ?? 0) > 0), counts };
}
