/** Who holds the shards of a batch, and which of them no one moves. */
import type { ShardHolder } from '../../../model/store.ts';
import type { Queries } from '../database/database.ts';

/** A driver as the rows of its shards name it, so that others can say which process it is. */
interface Owner {
  /** Different for each process, without spaces. */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  readonly leaseMs: number;
}

/** Earlier versions wrote the id alone. */
export const ownerText = ({ id, pid, host, leaseMs }: Owner): string => `${id} ${pid} ${Math.round(leaseMs)} ${host}`;

function parseOwner(text: string): Omit<Owner, 'id'> | undefined {
  const [, pid, leaseMs, host] = /^\S+ (\d{1,12}) (\d{1,12}) (.+)$/.exec(text) ?? [];
  return host === undefined ? undefined : { pid: Number(pid), leaseMs: Number(leaseMs), host };
}

/** A driver renews its leases four times in their time: after half of it, it has missed one. */
const SILENT_PART = 1 / 2;
/** Shards of a holder that are listed. */
const MAX_LISTED = 20;

/** Returns who holds or held the shards that were begun and are not done, those first who have most. Reads tables of every version. */
export async function listHolders(queries: Queries, batch: number): Promise<readonly ShardHolder[]> {
  const rows = await queries.query<{
    owner: string | null;
    valid: boolean;
    leaseUntil: number;
    now: number;
    count: number;
    listed: readonly number[];
  }>(
    `SELECT owner, lease_until > now() AS valid, floor(extract(epoch FROM max(lease_until)) * 1000) AS "leaseUntil",
      floor(extract(epoch FROM now()) * 1000) AS now, count(*) AS count,
      (array_agg(shard ORDER BY shard))[1:${MAX_LISTED}] AS listed
    FROM berth.shards WHERE batch = $1 AND NOT done AND lease_until IS NOT NULL
    GROUP BY 1, 2 ORDER BY 2 DESC, 5 DESC, 1`,
    [batch],
  );
  return rows.map(({ owner, valid, leaseUntil, now, count, listed }) => {
    const driver = owner === null ? undefined : parseOwner(owner);
    const contactAt = driver === undefined ? undefined : leaseUntil - driver.leaseMs;
    const isSilent = driver !== undefined && contactAt !== undefined && now - contactAt > driver.leaseMs * SILENT_PART;
    return {
      state: owner === null ? 'left' : !valid ? 'gone' : isSilent ? 'silent' : 'working',
      process: driver === undefined ? undefined : { pid: driver.pid, host: driver.host },
      contactAt,
      leaseEndsAt: leaseUntil,
      count,
      shards: listed,
    };
  });
}
