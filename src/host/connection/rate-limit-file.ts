import { type EpochMs, type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import type { RateWindow, RememberedLimits } from '../../core/api.ts';
import { isRecord, readObject, writeObject } from '../remembered.ts';

export interface RateLimitFile extends RememberedLimits {
  /** Cheap enough for every request; errors of the file are ignored. */
  remember(windows: readonly RateWindow[]): void;
  flush(): void;
}

export interface RateLimitFileOptions {
  /** `{PROFILE: {account, windows: [RateWindow, ...]}}`; fails if there is no directory. */
  readonly path: () => string;
  readonly profile: () => string;
  /** The address and a mark of the key in use; undefined without a key. May fail. */
  readonly account: () => string | undefined;
  /** The wall clock, as for the times in the file. */
  readonly now: () => EpochMs;
  /** Milliseconds since an arbitrary start. */
  readonly monotonic: () => number;
  readonly random: () => number;
  readonly user: number | undefined;
}

/** During a command; `flush` writes at its end. */
const WRITE_INTERVAL_MS: Milliseconds = 2000;
/** Machines that share a home directory. */
const MAX_CLOCK_SKEW_MS: Milliseconds = MINUTE_MS;

/** File errors are ignored: a command must not fail because of them. */
export function createRateLimitFile(options: RateLimitFileOptions): RateLimitFile {
  let latest: readonly RateWindow[] | undefined;
  let unwritten = false;
  let writtenAt = Number.NEGATIVE_INFINITY;

  const flush = (): void => {
    if (latest === undefined || !unwritten) return;
    unwritten = false;
    writtenAt = options.monotonic();
    try {
      const path = options.path();
      const kept = { account: options.account(), windows: latest };
      writeObject(path, { ...readObject(path, options.user), [options.profile()]: kept }, options);
    } catch {
      // The rate windows are not needed by the command itself.
    }
  };

  return {
    remember: (windows) => {
      if (windows.length === 0) return;
      latest = windows;
      unwritten = true;
      if (options.monotonic() - writtenAt >= WRITE_INTERVAL_MS) flush();
    },
    flush,
    read: () => {
      const saved = savedWindows(options);
      // A later time means that the wall clock was changed: the age of such a window is unknown, so it is dropped.
      // eslint-disable-next-line no-restricted-syntax -- a date: other processes wrote the file
      const maxSeenAt = options.now() + MAX_CLOCK_SKEW_MS;
      return Promise.resolve(latest ?? saved.filter(({ seenAt }) => seenAt <= maxSeenAt));
    },
  };
}

/** None when they are of another account. */
function savedWindows({ path, profile, account, user }: RateLimitFileOptions): readonly RateWindow[] {
  const all = readObject(path(), user);
  const name = profile();
  const kept = Object.hasOwn(all, name) ? all[name] : undefined;
  return isRecord(kept) && kept['account'] === account() ? windowsOf(kept['windows']) : [];
}

const windowsOf = (value: unknown): readonly RateWindow[] => (Array.isArray(value) ? value.filter(isWindow) : []);

function isWindow(value: unknown): value is RateWindow {
  if (!isRecord(value)) return false;
  const { name, seenAt, ...numbers } = value;
  return (
    typeof name === 'string' &&
    typeof seenAt === 'number' &&
    Object.values(numbers).every((number) => number === undefined || typeof number === 'number')
  );
}
