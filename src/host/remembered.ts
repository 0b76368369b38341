import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { RateWindow, RememberedLimits } from '../core/api.ts';
import type { Clock } from '../core/context.ts';
import { Failure, localFile, messageOf } from '../core/failure.ts';
import { type FileLocks, type HeldLock, makeDirectory, openRegular, whyForeign } from '../core/files.ts';
import type {
  AccountDocument,
  ListRow,
  PlainObject,
  RememberedJob,
  RememberedJobs,
  RememberedLists,
} from '../core/remembered.ts';
import { HOUR_MS, type Milliseconds, MINUTE_MS } from '../core/unit-types.ts';

/** Empty if missing, invalid, or if another user may have written it (see `whyForeign`). */
function readObject(path: string, user: number | undefined): PlainObject {
  try {
    const descriptor = openRegular({ openSync, fstatSync, closeSync, lstatSync, constants }, path, {
      flags: constants.O_RDONLY,
      links: 'refused',
    });
    try {
      if (whyForeign(fstatSync(descriptor), user) !== undefined) return {};
      return objectOf(JSON.parse(readFileSync(descriptor, 'utf8')));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return {};
  }
}

/** Without core/json.ts, whose parser is slow to load. */
const objectOf = (value: unknown): PlainObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

/** Local-file (14) if another user may change it. */
function makeFolder(path: string, user: number | undefined): void {
  const folder = dirname(path);
  makeDirectory({ mkdirSync, statSync, dirname }, folder, 0o700);
  const why = whyForeign(statSync(folder), user);
  if (why !== undefined) throw localFile(`cannot use the directory ${folder}: it ${why}`);
}

/** Atomic, mode 0600. Local-file (14): directory writable by others, or not a file. */
function writeObject(path: string, document: PlainObject, user: number | undefined): void {
  makeFolder(path, user);
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) throw localFile(`${path} is not a regular file`);
  const temporary = `${path}.${Math.random().toString(36).slice(2)}.tmp`;
  try {
    writeFileSync(temporary, `${JSON.stringify(document)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

export interface RememberedOptions {
  /** May fail when there is no directory for it. */
  readonly path: () => string;
  /** The address and a mark of the key in use; undefined without a key. May fail. */
  readonly account: () => string | undefined;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly user: number | undefined;
}

/** `{account, ...}`: what another account kept is dropped. Errors are ignored, as no command needs the file. */
const accountFile = ({ path, account, user }: RememberedOptions) => {
  const read = (): PlainObject =>
    quietly({}, () => {
      const owner = account();
      const kept = owner === undefined ? {} : readObject(path(), user);
      return kept['account'] === owner ? kept : {};
    });
  return {
    read,
    write: (members: PlainObject): void => {
      quietly(undefined, () => {
        const owner = account();
        if (owner !== undefined) writeObject(path(), { ...members, account: owner }, user);
      });
    },
  };
};

function quietly<T>(otherwise: T, work: () => T): T {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

// oxlint-disable-next-line berth/no-wall-clock -- a date: other processes read it
const dateOf = ({ clock }: RememberedOptions): number => clock.now();

/** `{account, changedAt, lists: {LIST: {at, rows}}}` */
export function createRememberedLists(options: RememberedOptions): RememberedLists {
  const file = accountFile(options);
  const isWithin = (at: unknown, span: Milliseconds): boolean => {
    const ageMs = dateOf(options) - Number(at);
    // A time in the future: the wall clock was changed, so the age is unknown.
    return ageMs >= 0 && ageMs <= span;
  };
  return {
    read: async (list) => {
      const { changedAt, lists } = file.read();
      const { at, rows } = objectOf(objectOf(lists)[list]);
      if (!Array.isArray(rows)) return undefined;
      return { rows: rows.filter(isRow), isFresh: isWithin(at, MINUTE_MS) && !(Number(changedAt) >= Number(at)) };
    },
    write: async (list, rows) => {
      const { lists, ...rest } = file.read();
      const kept = Object.entries(objectOf(lists)).filter(([, each]) => isWithin(objectOf(each)['at'], HOUR_MS));
      file.write({ ...rest, lists: { ...Object.fromEntries(kept), [list]: { at: dateOf(options), rows } } });
    },
    expire: async () => {
      const kept = file.read();
      if (kept['lists'] !== undefined) file.write({ ...kept, changedAt: dateOf(options) });
    },
    forget: async () => {
      file.write({});
    },
  };
}

const hasTexts = (row: unknown, names: readonly string[]): boolean =>
  names.every((member) => typeof objectOf(row)[member] === 'string');

const isRow = (row: unknown): row is ListRow => hasTexts(row, ['value', 'name', 'description']);

const MAX_JOBS = 100;

/** A wait sees the same status many times: it is rewritten only after this time. */
const SEEN_AGAIN_MS: Milliseconds = 10_000;

/** `{account, jobs: [JOB, ...]}`, the latest first. */
export function createRememberedJobs(options: RememberedOptions): RememberedJobs {
  const file = accountFile(options);
  const kept = (): readonly RememberedJob[] => {
    const { jobs } = file.read();
    return Array.isArray(jobs) ? jobs.filter(isJob) : [];
  };
  const change = (id: string, isNews: (job: RememberedJob) => boolean, seen: Partial<RememberedJob>): void => {
    const jobs = kept();
    if (jobs.some((job) => job.id === id && isNews(job)))
      file.write({ jobs: jobs.map((job) => (job.id === id ? { ...job, ...seen } : job)) });
  };
  return {
    read: async () => kept(),
    add: async (job) => {
      const others = kept().filter(({ id }) => id !== job.id);
      if (job.id !== '') file.write({ jobs: [{ ...job, statusAt: job.at }, ...others].slice(0, MAX_JOBS) });
    },
    saw: async (id, status, at) => {
      const isNews = (job: RememberedJob): boolean =>
        job.status !== status || job.goneAt !== undefined || at - (job.statusAt ?? 0) > SEEN_AGAIN_MS;
      change(id, isNews, { status, statusAt: at, goneAt: undefined });
    },
    sawGone: async (id, at) => {
      change(id, (job) => job.goneAt === undefined, { goneAt: at });
    },
    forget: async () => {
      file.write({});
    },
  };
}

const isJob = (job: unknown): job is RememberedJob => {
  const { at, statusAt = 0, goneAt = 0 } = objectOf(job);
  return hasTexts(job, ['id', 'endpoint', 'named']) && [at, statusAt, goneAt].every(isTime);
};

/** Up to the last time that a Date can have; the clock of the local service has fractions. */
const isTime = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) <= 8.64e15;

/** During a command; `flush` writes at its end. */
const WRITE_INTERVAL_MS: Milliseconds = 2000;

/** `{account, windows: [RateWindow, ...]}`. `remember` is cheap enough for every request. */
export function createRememberedLimits(options: RememberedOptions) {
  const { clock } = options;
  const file = accountFile(options);
  let latest: readonly RateWindow[] = [];
  let unwritten = false;
  let writtenAt = Number.NEGATIVE_INFINITY;
  const flush = (): void => {
    if (!unwritten) return;
    unwritten = false;
    writtenAt = clock.monotonic();
    file.write({ windows: latest });
  };
  return {
    flush,
    remember: (windows: readonly RateWindow[]): void => {
      if (windows.length === 0) return;
      latest = windows;
      unwritten = true;
      if (clock.monotonic() - writtenAt >= WRITE_INTERVAL_MS) flush();
    },
    read: async () => {
      if (latest.length > 0) return latest;
      const { windows } = file.read();
      // From the future: the wall clock was changed, so the age is unknown. Machines may differ by a minute.
      const isKnown = ({ seenAt }: RateWindow): boolean => seenAt <= dateOf(options) + MINUTE_MS;
      return Array.isArray(windows) ? windows.filter(isWindow).filter(isKnown) : [];
    },
  } satisfies RememberedLimits & Record<string, unknown>;
}

const isWindow = (value: unknown): value is RateWindow => {
  const { name, ...numbers } = objectOf(value);
  return typeof name === 'string' && Object.values(numbers).every((number) => typeof number === 'number');
};

export interface AccountPlace {
  readonly folder: () => string;
  /** Undefined without a key. May fail. */
  readonly account: () => Promise<string | undefined>;
  readonly user: number | undefined;
}

/** A file of one account for one purpose. */
async function accountPath({ folder, account }: AccountPlace, purpose: string): Promise<string> {
  const name = createHash('sha256').update(JSON.stringify([await account(), purpose]));
  return join(folder(), name.digest('hex').slice(0, 32));
}

export const createAccountDocument = (place: AccountPlace, purpose: string): AccountDocument => ({
  read: async () => readObject(`${await accountPath(place, purpose)}.json`, place.user),
  write: async (document) => {
    writeObject(`${await accountPath(place, purpose)}.json`, document, place.user);
  },
});

/** Tells `onWait` once where another process has it, and waits. */
export async function takeAccountLock(
  place: AccountPlace,
  locks: FileLocks,
  work: string,
  onWait: (holder: string) => Promise<void>,
): Promise<HeldLock> {
  try {
    const path = `${await accountPath(place, work)}.lock`;
    makeFolder(path, place.user);
    return await locks.take(path, { subject: work, waitMs: 0 }).catch(async (error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      await onWait(error.message);
      return await locks.take(path, { subject: work, waitMs: Number.POSITIVE_INFINITY });
    });
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw localFile(`cannot take the lock of ${work}: ${messageOf(error)}`, 'Nothing was sent.', error);
  }
}
