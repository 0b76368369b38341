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
import { type EpochMs, HOUR_MS, type Milliseconds } from '../core/unit-types.ts';

/** Empty if missing, invalid, or if another user may have written it (see `whyForeign`). */
export function readObject(path: string, user: number | undefined): Readonly<Record<string, unknown>> {
  try {
    const descriptor = openRegular({ openSync, fstatSync, closeSync, lstatSync, constants }, path, {
      flags: constants.O_RDONLY,
      links: 'refused',
    });
    try {
      if (whyForeign(fstatSync(descriptor), user) !== undefined) return {};
      const document: unknown = JSON.parse(readFileSync(descriptor, 'utf8'));
      return isRecord(document) ? { ...document } : {};
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return {};
  }
}

/** Local-file (14) if another user may change it. */
function makeFolder(path: string, user: number | undefined): void {
  const folder = dirname(path);
  makeDirectory({ mkdirSync, statSync, dirname }, folder, 0o700);
  const why = whyForeign(statSync(folder), user);
  if (why !== undefined) throw localFile(`cannot use the directory ${folder}: it ${why}`);
}

/** Atomic, mode 0600; `flush` syncs it. Local-file (14): directory writable by others, or not a file. */
export function writeObject(
  path: string,
  document: Readonly<Record<string, unknown>>,
  {
    random,
    user,
    flush = false,
  }: { readonly random: () => number; readonly user: number | undefined; readonly flush?: boolean },
): void {
  makeFolder(path, user);
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) throw localFile(`${path} is not a regular file`);
  const temporary = `${path}.${random().toString(36).slice(2)}.tmp`;
  try {
    writeFileSync(temporary, `${JSON.stringify(document)}\n`, { mode: 0o600, flag: 'wx', flush });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface RememberedOptions {
  /** May fail when there is no directory for it. */
  readonly path: () => string;
  /** The address and a mark of the key in use; undefined without a key. May fail. */
  readonly account: () => string | undefined;
  /** The wall clock, as for the times in the file. */
  readonly date: () => EpochMs;
  readonly random: () => number;
  readonly user: number | undefined;
}

/** A list not read for this time is dropped with the next write. */
const KEPT_MS: Milliseconds = HOUR_MS;

interface KeptList {
  readonly at?: number;
  readonly rows?: readonly unknown[];
  readonly expired?: boolean;
}

/** `{account, lists: {LIST: {at, rows}}}`, one account. Errors are ignored: nothing is remembered. */
export function createRememberedLists(options: RememberedOptions): RememberedLists {
  const kept = (account: string): Readonly<Record<string, KeptList>> => {
    const { account: owner, lists } = readObject(options.path(), options.user);
    if (owner !== account || !isRecord(lists)) return {};
    return Object.fromEntries(
      Object.entries(lists).flatMap(([list, each]) => (isRecord(each) ? [[list, keptList(each)]] : [])),
    );
  };
  const change = (list: string, part: KeptList): void => {
    const account = options.account();
    if (account === undefined) return;
    const lists = kept(account);
    const now = options.date();
    const isKept = ([, { at }]: readonly [string, KeptList]): boolean => at !== undefined && now - at <= KEPT_MS;
    const others = Object.fromEntries(Object.entries(lists).filter(isKept));
    writeObject(options.path(), { account, lists: { ...others, [list]: { ...lists[list], ...part } } }, options);
  };
  const get = (list: string): KeptList | undefined => {
    const account = options.account();
    return account === undefined ? undefined : kept(account)[list];
  };
  return {
    read: (list) =>
      quietly(undefined, () => {
        const { at, rows, expired = false } = get(list) ?? {};
        if (at === undefined || rows === undefined) return undefined;
        const ageMs = options.date() - at;
        // A time in the future: the wall clock was changed, so the age is unknown.
        return { rows: rows.filter(isRow), ageMs: ageMs < 0 ? Number.POSITIVE_INFINITY : ageMs, expired };
      }),
    write: (list, rows) =>
      quietly(undefined, () => {
        change(list, { at: options.date(), rows, expired: false });
      }),
    expire: () =>
      quietly(undefined, () => {
        const account = options.account();
        if (account === undefined) return;
        const lists = Object.entries(kept(account)).map(([list, rest]) => [list, { ...rest, expired: true }]);
        if (lists.length > 0) writeObject(options.path(), { account, lists: Object.fromEntries(lists) }, options);
      }),
    forget: () =>
      quietly(undefined, () => {
        const account = options.account();
        if (account !== undefined) writeObject(options.path(), { account, lists: {} }, options);
      }),
  };
}

/** Rows are checked where they are used. */
const keptList = ({ at, rows, expired }: Readonly<Record<string, unknown>>): KeptList => ({
  ...(typeof at === 'number' ? { at } : {}),
  ...(Array.isArray(rows) ? { rows } : {}),
  ...(typeof expired === 'boolean' ? { expired } : {}),
});

function isRow(row: unknown): row is ListRow {
  return isRecord(row) && ['value', 'name', 'description'].every((member) => typeof row[member] === 'string');
}

/** `otherwise` if the work fails: no command needs the file. */
async function quietly<T>(otherwise: T, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch {
    return otherwise;
  }
}

const MAX_JOBS = 100;

/** A wait sees the same status many times: it is rewritten only after this time. */
const SEEN_AGAIN_MS: Milliseconds = 10_000;

const MAX_STATUS_LENGTH = 100;

/** `{account, jobs: [JOB, ...]}`, the latest first. Jobs of another account are dropped. */
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

const isTime = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) <= MAX_TIME_MS;

/** The last time that a Date can have. */
const MAX_TIME_MS = 8.64e15;

const MAX_ACCOUNTS = 20;

export interface AccountDocumentOptions extends Omit<RememberedOptions, 'account' | 'date'> {
  /** Undefined without a key. May fail. */
  readonly account: () => Promise<string | undefined>;
}

/** Latest changed last. */
export function createAccountDocument(options: AccountDocumentOptions): AccountDocument {
  const keptOfAll = (): PlainObject => {
    const { accounts } = readObject(options.path(), options.user);
    return isRecord(accounts) ? accounts : {};
  };
  const kept = (account: string): PlainObject => {
    const { [account]: own } = keptOfAll();
    return isRecord(own) ? own : {};
  };
  const update = (account: string, change: (before: PlainObject) => PlainObject): void => {
    // No pause between reading and writing: other runs on this machine write it too.
    const others = Object.entries(keptOfAll()).filter(([each]) => each !== account);
    const accounts = Object.fromEntries([...others.slice(1 - MAX_ACCOUNTS), [account, change(kept(account))]]);
    writeObject(options.path(), { accounts }, options);
  };
  const inUse = async (): Promise<string> => (await options.account()) ?? '';
  return {
    read: async () => kept(await inUse()),
    update: async (change) => {
      update(await inUse(), change);
    },
  };
}

/** Tells `onWait` once where another process has it, and waits. */
export async function takeAccountLock(
  options: AccountDocumentOptions,
  locks: FileLocks,
  work: string,
  onWait: (holder: string) => Promise<void>,
): Promise<HeldLock> {
  const name = createHash('sha256').update(JSON.stringify([await options.account(), work]));
  try {
    const path = join(dirname(options.path()), `${name.digest('hex').slice(0, 32)}.lock`);
    makeFolder(path, options.user);
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
