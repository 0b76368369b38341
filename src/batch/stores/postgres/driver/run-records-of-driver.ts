import { createDeferred, type Deferred } from '../../../bytes/deferred.ts';
import type { RunRecords, RecordsListener, RangeClaims } from '../../../model/run-records.ts';
import type { Outage } from '../../../model/outage.ts';
import type { ItemCounts } from '../../../model/item-states.ts';
import { readAccount } from '../rows/batch-rows.ts';
import {
  appendRecords,
  claimShard,
  readBatchState,
  releaseShards,
  renewLeases,
  type ShardGroup,
} from '../rows/shard-rows.ts';
import { holdShard } from '../shard/held-shard.ts';
import { createHeldShards, takeWritten, requireOwnWrites } from './held-shards.ts';
import { createJobIdWindow } from '../../../model/job-id-set.ts';
import type { Lease } from './lease.ts';
import { createProgress } from './known-counts.ts';
import { createPublisher, type WriterParts } from './publisher.ts';
import { resultLine } from '../../../model/result-line.ts';

interface DriverParts extends WriterParts {
  readonly lease: Lease;
  readonly counts: ItemCounts;
}

/** The records of a driver that shares its batch with others. */
export interface DriverRecords extends RunRecords, RangeClaims {
  /** Publishes the results that are kept and gives all shards up. Fails when something could not be written. */
  close(): Promise<void>;
  /** What the driver waits for: its database or the storage of its results; undefined while it waits for neither. */
  outage(): Outage | undefined;
}

/** Maximum number of shards that a driver holds: those with a few slow jobs stay until these have ended. */
const MAX_HELD = 32;
/** While more than this is kept in all, no result is accepted. */
const MAX_KEPT_BYTES = 96 * 1024 * 1024;
const WAIT_FOR_SHARDS_MS = 5000;

export function createDriverRecords(parts: DriverParts): DriverRecords {
  const { database, driver, files, lease, queue, clock } = parts;
  const jobIds = createJobIdWindow();
  const progress = createProgress(parts.counts);
  let listener: RecordsListener | undefined;
  let flushQueued = false;
  let renewing = false;
  let cancelled = false;
  let failure: { readonly error: unknown } | undefined;
  let change = new AbortController();

  const onChange = (): void => {
    const before = change;
    change = new AbortController();
    before.abort(new Error('changed'));
    listener?.onChange();
  };
  const onFailure = (error: unknown): void => {
    failure ??= { error };
    listener?.onFailure(error);
    onChange();
  };
  const held = createHeldShards(onChange);
  const publisher = createPublisher({ ...parts, held, onFailure, onDone: onChange });

  const flush = (): void => {
    if (flushQueued) return;
    flushQueued = true;
    let groups: readonly ShardGroup[] | undefined;
    let waiting: readonly Deferred[] = [];
    let attempts = 0;
    const write = async (): Promise<void> => {
      attempts += 1;
      // The database may have been away, and have come back with less.
      if (attempts > 1) await requireOwnWrites(database, driver, held.all());
      if (groups === undefined) {
        flushQueued = false;
        const taken = held.all().map((entry) => ({ entry, group: entry.shard.takeRecords() }));
        groups = taken.flatMap(({ entry, group }) =>
          group === undefined ? [] : [{ shard: entry.shard.shard, ...group }],
        );
        waiting = taken.flatMap(({ entry }) => takeWritten(entry) ?? []);
      }
      if (groups.length > 0) {
        const still = await appendRecords(database, driver, groups);
        if (still.length < groups.length) await requireOwnWrites(database, driver, held.all());
        held.confirm(groups);
        held.dropAllBut(
          still,
          groups.map(({ shard }) => shard),
        );
      }
      for (const each of waiting) each.resolve();
    };
    queue.run(write).catch((error: unknown) => {
      for (const each of waiting) each.reject(error);
      onFailure(error);
    });
  };

  const renewOnce = async (): Promise<void> => {
    const mark = lease.mark();
    const asked = held.epochs();
    if (asked.length > 0) {
      await requireOwnWrites(database, driver, held.all());
      const still = await renewLeases(database, driver, asked);
      held.dropAllBut(
        still,
        asked.map(({ shard }) => shard),
      );
      lease.renewed(mark);
    }
    const { holds: _, ...counts } = await readAccount(database, driver.batch);
    progress.refresh(
      counts,
      held.all().map(({ shard }) => shard.unwritten()),
    );
    await readState();
  };
  const readState = async (): Promise<{ readonly isDone: boolean }> => {
    const { isDone, isCancelled } = await readBatchState(database, driver.batch);
    if (isCancelled && !cancelled) {
      cancelled = true;
      listener?.onCancelled();
    }
    return { isDone };
  };
  const renew = async (): Promise<void> => {
    if (renewing || failure !== undefined) return;
    renewing = true;
    try {
      await queue.run(renewOnce);
      for (const entry of held.all()) publisher.whenDue(entry);
      onChange();
    } catch (error) {
      onFailure(error);
    } finally {
      renewing = false;
    }
  };
  const renewals = new AbortController();
  const keepRenewing = async (): Promise<void> => {
    while (failure === undefined) {
      await clock.sleep(lease.renewalMs, renewals.signal);
      await renew();
    }
  };

  return {
    states: {
      stateOf: (item) => held.stateOf(item),
      count: (state) => held.all().reduce((sum, { shard }) => sum + shard.states.count(state), 0),
      counts: () => progress.counts(),
    },
    failed: [],
    expired: [],
    open: (calls) => {
      listener = calls;
      keepRenewing().catch(() => undefined);
    },
    tenureOf: (item) => held.holderOf(item)?.tenure ?? 0,
    maySend: () => {
      if (files.isWaiting()) return false;
      // Without a shard there is nothing to send.
      if (held.numbers().length === 0 || lease.isValid()) return true;
      void renew();
      return false;
    },
    record: (item, event, data) => {
      if (failure !== undefined) return rejectedWith(failure.error);
      const entry = held.holderOf(item);
      if (entry === undefined) return Promise.resolve();
      const before = entry.shard.stateOf(item);
      const after = entry.shard.apply(item, event, data);
      // The answer to a request of an earlier tenure: the records of this tenure say more.
      if (after === undefined) return Promise.resolve();
      progress.apply(before, after);
      publisher.whenDue(entry);
      flush();
      return (entry.written ??= createDeferred()).promise;
    },
    forgetIntent: (item) => {
      held.holderOf(item)?.shard.forgetIntent(item);
    },
    saveResult: async (owner, document, event) => {
      while (held.keptBytes() > MAX_KEPT_BYTES && failure === undefined) {
        publisher.publishLargest();
        await clock.sleep(WAIT_FOR_SHARDS_MS, change.signal).catch(() => undefined);
      }
      const entry = held.holderOf(owner.item);
      if (entry === undefined) return;
      const before = entry.shard.stateOf(owner.item);
      // eslint-disable-next-line no-restricted-syntax -- a date, for the timeline
      progress.apply(before, entry.shard.end(owner, event, resultLine(owner, document), clock.now()));
      // A refusal has a record of its own.
      if (event.kind === 'refuse') flush();
      publisher.whenDue(entry);
    },
    addJobId: (id) => jobIds.add(id),
    outage: () => queue.outage() ?? publisher.outage(),
    idle: () => queue.idle(),
    claim: async () => {
      if (held.numbers().length >= MAX_HELD) return 'busy';
      const { row, mark } = await queue.run(async () => {
        const at = lease.mark();
        return { row: await claimShard(database, driver, held.numbers()), mark: at };
      });
      if (row === undefined) return (await queue.run(readState)).isDone ? 'finished' : 'none';
      const isFirst = held.numbers().length === 0;
      const entry = held.add(holdShard(row), clock.monotonic());
      if (isFirst) lease.renewed(mark);
      const jobs = entry.shard.jobs();
      for (const { job } of jobs) jobIds.add(job);
      listener?.onJobs(jobs);
      flush();
      publisher.whenDue(entry);
      return { row, isLost: () => entry.lost };
    },
    changed: async (signal) => {
      await clock.sleep(WAIT_FOR_SHARDS_MS, AbortSignal.any([signal, change.signal])).catch(() => undefined);
      signal.throwIfAborted();
    },
    close: async () => {
      listener = undefined;
      queue.hurry();
      publisher.hurry();
      for (const entry of held.all()) {
        // When a part is published, the next one may begin at once.
        while (entry.publishing !== undefined) await entry.publishing;
        if (!entry.lost && failure === undefined && entry.shard.hasUnpublished()) await publisher.publish(entry);
      }
      // Not earlier: writing parts can take longer than a lease.
      renewals.abort(new Error('the run has ended'));
      await queue.run(() => releaseShards(database, driver, held.epochs())).catch(onFailure);
      if (failure !== undefined) throw failure.error;
    },
  };
}

const rejectedWith = async (error: unknown): Promise<never> => {
  throw error;
};
