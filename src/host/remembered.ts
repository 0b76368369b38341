import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../core/context.ts';
import { Failure, localFile, messageOf } from '../core/failure.ts';
import { type FileLocks, type HeldLock } from '../core/files.ts';
import { makeDirectory, openRegular, whyForeign } from '../core/regular-files.ts';
import type {
  AccountDocument,
  ListRow,
  PlainObject,
  RememberedJob,
  RememberedJobs,
  RememberedLists,
} from '../core/remembered.ts';
import { type EpochMs, type Milliseconds, MINUTE_MS } from '../core/unit-types.ts';
import type { Settings } from '../settings/settings.ts';

interface Machine {
  readonly clock: Pick<Clock, 'now'>;
  readonly user: number | undefined;
}

/** Empty if missing, invalid, or if another user may have written it. */
function readObject(path: string, user: number | undefined): PlainObject {
  try {
    const descriptor = openRegular(path, { flags: constants.O_RDONLY, links: 'refused' });
    try {
      const isForeign = whyForeign(fstatSync(descriptor), user) !== undefined;
      // Without core/json.ts, whose parser is slow to load.
      return isForeign ? {} : { ...(JSON.parse(readFileSync(descriptor, 'utf8')) as PlainObject | null) };
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return {};
  }
}

/** Local-file (14) if another user may change it. */
function makeFolderOf(path: string, user: number | undefined): void {
  const folder = dirname(path);
  makeDirectory(folder, 0o700);
  const why = whyForeign(statSync(folder), user);
  if (why !== undefined) throw localFile(`cannot use the directory ${folder}: it ${why}`);
}

/** Atomic, mode 0600. Local-file (14): directory writable by others, or not a file. */
function writeObject(path: string, document: object, user: number | undefined): void {
  makeFolderOf(path, user);
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

interface Kept {
  readonly account?: string;
  readonly lists?: Readonly<Record<string, { readonly at: EpochMs; readonly rows: readonly ListRow[] }>>;
  readonly changedAt?: EpochMs;
  /** The latest first. */
  readonly jobs?: readonly RememberedJob[];
}

const MAX_JOBS = 100;

/** A wait sees the same status many times: it is rewritten only after this time. */
const SEEN_AGAIN_MS: Milliseconds = 10_000;

/** A file for each kind. What another account kept is dropped. Errors are ignored, as no command needs the files. */
function createRemembered(settings: Settings, { clock, user }: Machine) {
  // One account per file. A temporary one from the environment must not replace the profile's.
  const pathOf = (kind: string): string => {
    const name = `${kind}-${settings.profile}${settings.isProfileOverridden ? '~' : ''}.json`;
    return join(settings.dataDirectory, 'remembered', name);
  };
  const read = (kind: string): Kept => {
    try {
      const owner = settings.account();
      const kept: Kept = owner === undefined ? {} : readObject(pathOf(kind), user);
      return kept.account === owner ? kept : {};
    } catch {
      return {};
    }
  };
  const write = (kind: string, kept: Kept): void => {
    try {
      const owner = settings.account();
      if (owner !== undefined) writeObject(pathOf(kind), { ...kept, account: owner }, user);
    } catch {
      // The next command knows less.
    }
  };
  // oxlint-disable-next-line berth/no-wall-clock -- a date: other processes read it
  const now = (): EpochMs => clock.now();
  const lists: RememberedLists = {
    read: async (list) => {
      const kept = read('lists');
      const found = kept.lists?.[list];
      if (found === undefined) return undefined;
      // A time in the future: the wall clock was changed, so the age is unknown.
      const age = now() - found.at;
      return { rows: found.rows, isFresh: age >= 0 && age <= MINUTE_MS && (kept.changedAt ?? 0) < found.at };
    },
    write: async (list, rows) => {
      const kept = read('lists');
      write('lists', { ...kept, lists: { ...kept.lists, [list]: { at: now(), rows } } });
    },
    expire: async () => {
      const kept = read('lists');
      if (kept.lists !== undefined) write('lists', { ...kept, changedAt: now() });
    },
    forget: async () => {
      write('lists', {});
    },
  };

  const keptJobs = (): readonly RememberedJob[] => read('jobs').jobs ?? [];
  const changeJob = (id: string, isNews: (job: RememberedJob) => boolean, seen: Partial<RememberedJob>): void => {
    const kept = keptJobs();
    if (kept.some((job) => job.id === id && isNews(job)))
      write('jobs', { jobs: kept.map((job) => (job.id === id ? { ...job, ...seen } : job)) });
  };
  const jobs: RememberedJobs = {
    read: async () => keptJobs(),
    add: async (job) => {
      const others = keptJobs().filter(({ id }) => id !== job.id);
      write('jobs', { jobs: [{ ...job, statusAt: job.at }, ...others].slice(0, MAX_JOBS) });
    },
    saw: async (id, status, at) => {
      const isNews = (job: RememberedJob): boolean =>
        job.status !== status || job.goneAt !== undefined || at - (job.statusAt ?? 0) > SEEN_AGAIN_MS;
      changeJob(id, isNews, { status, statusAt: at, goneAt: undefined });
    },
    sawGone: async (id, at) => {
      changeJob(id, (job) => job.goneAt === undefined, { goneAt: at });
    },
    forget: async () => {
      write('jobs', {});
    },
  };

  return { lists, jobs };
}

/** Files and locks of the account, whatever profile its key comes from: a guard in cron gets it from elsewhere than a shell. */
function createAccountFiles(settings: Settings, { user }: Machine, locks: FileLocks) {
  const pathOf = async (purpose: string, ending: string): Promise<string> => {
    const name = createHash('sha256').update(JSON.stringify([await settings.accountOfKey(), purpose]));
    return join(settings.dataDirectory, 'accounts', `${name.digest('hex').slice(0, 32)}.${ending}`);
  };
  const guard: AccountDocument = {
    read: async () => readObject(await pathOf('guard', 'json'), user),
    write: async (document) => {
      writeObject(await pathOf('guard', 'json'), document, user);
    },
  };
  /** Calls `onWait` once where another process has it, and waits. */
  const accountLock = async (work: string, onWait: (holder: string) => Promise<void>): Promise<HeldLock> => {
    try {
      const path = await pathOf(work, 'lock');
      makeFolderOf(path, user);
      return await locks.take(path, { subject: work, waitMs: 0 }).catch(async (error: unknown) => {
        if (!(error instanceof Failure)) throw error;
        await onWait(error.message);
        return await locks.take(path, { subject: work, waitMs: Number.POSITIVE_INFINITY });
      });
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw localFile(`cannot take the lock of ${work}: ${messageOf(error)}`, 'Nothing was sent.', error);
    }
  };
  return { guard, accountLock };
}

export const openRemembered = (settings: Settings, machine: Machine, locks: FileLocks) => ({
  ...createRemembered(settings, machine),
  ...createAccountFiles(settings, machine, locks),
});

export type Remembered = ReturnType<typeof openRemembered>;
