import type { RememberedJob, RememberedJobs } from '../../core/ports/remembered.ts';
import { isRecord, readObject, writeObject } from './json-file.ts';
import { quietly, type RememberedOptions } from './lists.ts';

/** The most jobs that are kept; the oldest are dropped. */
const MAX_JOBS = 100;

/** Keeps submitted jobs in a file, `{account, jobs: [JOB, ...]}`, the latest first. Jobs of another account are dropped. */
export function createRememberedJobs(options: RememberedOptions): RememberedJobs {
  const kept = (account: string | undefined): readonly RememberedJob[] => {
    const file = readObject(options.path(), options.user);
    const { jobs } = file;
    return account !== undefined && file['account'] === account && Array.isArray(jobs) ? jobs.filter(isJob) : [];
  };
  return {
    read: () => quietly([], () => kept(options.account())),
    add: (job) =>
      quietly(undefined, () => {
        const account = options.account();
        if (account === undefined || job.id === '') return;
        const others = kept(account).filter(({ id }) => id !== job.id);
        const jobs = [{ ...job, at: options.date() }, ...others].slice(0, MAX_JOBS);
        writeObject(options.path(), { account, jobs }, options);
      }),
  };
}

function isJob(job: unknown): job is RememberedJob {
  return (
    isRecord(job) &&
    ['id', 'endpoint', 'named'].every((member) => typeof job[member] === 'string') &&
    typeof job['at'] === 'number'
  );
}
