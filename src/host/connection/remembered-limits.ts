import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RateWindow, RememberedLimits } from '../../core/api.ts';

import { makeDirectory } from '../../core/make-directory.ts';

/** The rate windows last seen, by profile. */
export interface LimitsMemory extends RememberedLimits {
  /** Takes what an answer said. Cheap enough for the way of every command; what cannot be kept is let go. */
  remember(windows: readonly RateWindow[]): void;
  /** Writes what is not written yet. */
  flush(): void;
}

export interface LimitsOptions {
  /** The file, `{PROFILE: [RateWindow, ...]}`; may fail where there is no place for it. */
  readonly path: () => string;
  readonly profile: () => string;
  /** The wall clock, in milliseconds since the epoch: what the file was written by. */
  readonly now: () => number;
  /** Milliseconds since an arbitrary start. */
  readonly monotonic: () => number;
  readonly random: () => number;
}

/** A command that sends much writes this often, in milliseconds, and once more at its end. */
const WRITE_EVERY_MS = 2000;
/** Machines that share a home directory differ by less, in milliseconds. */
const CLOCK_SLACK_MS = 60_000;

/** Remembers limits in a file. They are worth nothing beside the command that saw them: no trouble with it is told. */
export function createLimits(options: LimitsOptions): LimitsMemory {
  let latest: readonly RateWindow[] | undefined;
  let unwritten = false;
  let writtenAt = Number.NEGATIVE_INFINITY;

  const flush = (): void => {
    if (latest === undefined || !unwritten) return;
    unwritten = false;
    writtenAt = options.monotonic();
    try {
      const path = options.path();
      save(path, { ...load(path), [options.profile()]: latest }, options.random);
    } catch {
      // See above.
    }
  };

  return {
    remember: (windows) => {
      if (windows.length === 0) return;
      latest = windows;
      unwritten = true;
      if (options.monotonic() - writtenAt >= WRITE_EVERY_MS) flush();
    },
    flush,
    read: () => {
      const kept = load(options.path());
      const profile = options.profile();
      const remembered = Object.hasOwn(kept, profile) ? windowsOf(kept[profile]) : [];
      // The wall clock was set back since, or was wrong then: how old these are is not known.
      // eslint-disable-next-line no-restricted-syntax -- a date: other processes wrote the file
      const latestTime = options.now() + CLOCK_SLACK_MS;
      return Promise.resolve(latest ?? remembered.filter(({ seenAt }) => seenAt <= latestTime));
    },
  };
}

function load(path: string): Readonly<Record<string, unknown>> {
  try {
    const document: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return typeof document === 'object' && document !== null && !Array.isArray(document) ? { ...document } : {};
  } catch {
    return {};
  }
}

function save(path: string, document: Readonly<Record<string, unknown>>, random: () => number): void {
  makeDirectory({ mkdirSync, statSync, dirname }, dirname(path), 0o700);
  const beside = `${path}.${random().toString(36).slice(2)}.tmp`;
  try {
    writeFileSync(beside, `${JSON.stringify(document)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

const windowsOf = (value: unknown): readonly RateWindow[] =>
  Array.isArray(value) ? value.filter((window): window is RateWindow => isWindow(window)) : [];

function isWindow(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { name, seenAt, ...numbers } = value as Record<string, unknown>;
  return (
    typeof name === 'string' &&
    typeof seenAt === 'number' &&
    Object.values(numbers).every((number) => number === undefined || typeof number === 'number')
  );
}
