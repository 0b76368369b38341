import { HOUR_MS } from '../../core/durations.ts';
import type { ListRow, RememberedLists } from '../../core/ports/remembered.ts';
import { isRecord, readObject, writeObject } from './json-file.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';

export interface RememberedOptions {
  /** Path of the file; may fail when there is no directory for it. */
  readonly path: () => string;
  /** The address and a mark of the key in use; undefined without a key. May fail. */
  readonly account: () => string | undefined;
  /** The wall clock; the times in the file are of this clock. */
  readonly date: () => EpochMs;
  readonly random: () => number;
  /** The number of this user: see `whyForeign`. */
  readonly user: number | undefined;
}

/** After an attempt to read a list, no other one begins for this time. */
const RETRY_MS: Milliseconds = 10_000;

/** A list that was neither read nor tried for this time is dropped with the next write: nobody is offered it. */
const KEPT_MS: Milliseconds = HOUR_MS;

/** One list in the file. */
interface KeptList {
  readonly at?: number;
  readonly triedAt?: number;
  readonly rows?: readonly unknown[];
  readonly expired?: boolean;
}

/**
 * Keeps lists in a file, `{account, lists: {LIST: {at, triedAt, rows}}}`. Lists of another account are ignored, and dropped
 * with the next write. Errors of the file and of the settings are ignored: nothing is then remembered.
 */
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
    const isKept = ([, { at, triedAt }]: readonly [string, KeptList]): boolean =>
      [at, triedAt].some((date) => date !== undefined && now - date <= KEPT_MS);
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
        // A time in the future means that the wall clock was changed: the age is unknown.
        return { rows: rows.filter(isRow), ageMs: ageMs < 0 ? Number.POSITIVE_INFINITY : ageMs, expired };
      }),
    write: (list, rows) =>
      quietly(undefined, () => {
        change(list, { at: options.date(), rows, expired: false });
      }),
    mayRenew: (list) =>
      quietly(false, () => {
        if (options.account() === undefined) return false;
        const sinceMs = options.date() - (get(list)?.triedAt ?? Number.NEGATIVE_INFINITY);
        if (sinceMs >= 0 && sinceMs < RETRY_MS) return false;
        change(list, { triedAt: options.date() });
        return true;
      }),
    expire: () =>
      quietly(undefined, () => {
        const account = options.account();
        if (account === undefined) return;
        const lists = Object.entries(kept(account)).map(([list, { triedAt: _, ...rest }]) => [
          list,
          { ...rest, expired: true },
        ]);
        if (lists.length > 0) writeObject(options.path(), { account, lists: Object.fromEntries(lists) }, options);
      }),
    forget: () =>
      quietly(undefined, () => {
        const account = options.account();
        if (account !== undefined) writeObject(options.path(), { account, lists: {} }, options);
      }),
  };
}

/** What the file has of a list, as far as it is what this program writes. Rows are checked where they are used. */
const keptList = ({ at, triedAt, rows, expired }: Readonly<Record<string, unknown>>): KeptList => ({
  ...(typeof at === 'number' ? { at } : {}),
  ...(typeof triedAt === 'number' ? { triedAt } : {}),
  ...(Array.isArray(rows) ? { rows } : {}),
  ...(typeof expired === 'boolean' ? { expired } : {}),
});

function isRow(row: unknown): row is ListRow {
  return isRecord(row) && ['value', 'name', 'description'].every((member) => typeof row[member] === 'string');
}

/** Runs work on a file that a command does not need; `otherwise` where it fails. */
export async function quietly<T>(otherwise: T, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch {
    return otherwise;
  }
}
