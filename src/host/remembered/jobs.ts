import type { RememberedJob, RememberedJobs } from '../../core/ports/remembered.ts';
import { isRecord, readObject, writeObject } from './json-file.ts';
import { quietly, type RememberedOptions } from './lists.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

/** The most jobs that are kept; the oldest are dropped. */
const MAX_JOBS = 100;

/** A wait sees the same status many times: it is written again after this time. */
const SEEN_AGAIN_MS: Milliseconds = 10_000;

/** A status of the service has about ten characters. */
const MAX_STATUS_LENGTH = 100;

/** Keeps submitted jobs in a file, `{account, jobs: [JOB, ...]}`, the latest first. Jobs of another account are dropped. */
export function createRememberedJobs(options: RememberedOptions): RememberedJobs {
  const kept = (account: string | undefined): readonly RememberedJob[] => {
    const file = readObject(options.path(), options.user);
    const { jobs } = file;
    return account !== undefined && file['account'] === account && Array.isArray(jobs) ? jobs.filter(isJob) : [];
  };
  const write = (account: string | undefined, jobs: readonly RememberedJob[]): void => {
    writeObject(options.path(), { account, jobs: jobs.slice(0, MAX_JOBS) }, options);
  };
  return {
    read: () => quietly([], () => kept(options.account())),
    add: (job) =>
      quietly(undefined, () => {
        const account = options.account();
        if (account === undefined || job.id === '') return;
        const others = kept(account).filter(({ id }) => id !== job.id);
        write(account, [{ ...job, ...(job.status === undefined ? {} : { statusAt: job.at }) }, ...others]);
      }),
    saw: (id, status, at) =>
      quietly(undefined, () => {
        const account = options.account();
        const jobs = kept(account);
        const isNews = (job: RememberedJob): boolean =>
          job.status !== status || job.goneAt !== undefined || at - (job.statusAt ?? 0) > SEEN_AGAIN_MS;
        if (!jobs.some((job) => job.id === id && isNews(job))) return;
        const seen = { status: status.slice(0, MAX_STATUS_LENGTH), statusAt: at, goneAt: undefined };
        write(
          account,
          jobs.map((job) => (job.id === id ? { ...job, ...seen } : job)),
        );
      }),
    sawGone: (id, at) =>
      quietly(undefined, () => {
        const account = options.account();
        const jobs = kept(account);
        if (!jobs.some((job) => job.id === id && job.goneAt === undefined)) return;
        write(
          account,
          jobs.map((job) => (job.id === id ? { ...job, goneAt: at } : job)),
        );
      }),
    forget: () =>
      quietly(undefined, () => {
        write(options.account(), []);
      }),
  };
}

function isJob(job: unknown): job is RememberedJob {
  return (
    isRecord(job) &&
    ['id', 'endpoint', 'named'].every((member) => typeof job[member] === 'string') &&
    isTime(job['at']) &&
    ['undefined', 'string'].includes(typeof job['status']) &&
    ['certainMs', 'executionTimeoutMs', 'ttlMs', 'statusAt', 'goneAt'].every(
      (member) => job[member] === undefined || isTime(job[member]),
    )
  );
}

/** Whether a value can be a time or a span, in milliseconds. */
const isTime = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) <= MAX_TIME_MS;

/** The last time that a Date can have. */
const MAX_TIME_MS = 8.64e15;
