import { MINUTE_MS } from '../../../../core/durations.ts';
import { type Deferred } from '../../../bytes/deferred.ts';
import type { Clock } from '../../../../core/context.ts';
import { EXIT } from '../../../../core/exit-codes.ts';
import { Failure } from '../../../../core/failure.ts';
import type { Database } from '../database/database.ts';
import { publishPart, type Driver } from '../rows/shard-rows.ts';
import type { Publication } from '../shard/held-shard.ts';
import { createOutageMark, MAX_OUTAGE_MS, type Outage } from '../../../model/outage.ts';
import { takeWritten, type HeldEntry, type HeldShards } from './held-shards.ts';
import { writePart, type PartFiles } from '../shard/part-files.ts';
import type { WriteQueue } from './write-queue.ts';

/** What a driver writes with. */
export interface WriterParts {
  readonly database: Database;
  readonly driver: Driver;
  readonly files: PartFiles;
  readonly queue: WriteQueue;
  readonly clock: Clock;
}

interface PublisherParts extends WriterParts {
  readonly held: HeldShards;
  readonly onFailure: (error: unknown) => void;
  /** Called when a part was published or could not be. */
  readonly onDone: () => void;
}

/** Results of a shard are published when they are older, or larger, than this. The service keeps results 30 minutes. */
const PUBLISH_AFTER_MS = 5 * MINUTE_MS;
const MAX_KEPT_BYTES = 16 * 1024 * 1024;
const RETRY_DELAY_MS = 1000;
/** Exit codes of failures of a storage after which the same request may succeed. */
const TEMPORARY: readonly number[] = [EXIT.rateLimited, EXIT.unavailable, EXIT.unknown];

/** Writes results to parts and publishes them. */
export function createPublisher(publisher: PublisherParts) {
  const { database, driver, files, queue, clock, held } = publisher;
  let hurried = false;
  let failed = false;
  const outage = createOutageMark('the storage of the results');

  const whileUnavailable = async <T>(work: () => Promise<T>): Promise<T> => {
    const started = clock.monotonic();
    for (;;) {
      try {
        const result = await work();
        outage.ended();
        return result;
      } catch (error) {
        const isTemporary = error instanceof Failure && TEMPORARY.includes(error.exit);
        if (!isTemporary || hurried || clock.monotonic() - started >= MAX_OUTAGE_MS) {
          outage.ended();
          throw error;
        }
        // Not before it fails: a large part takes a while to be written.
        outage.began(clock.monotonic());
        outage.failed(error);
      }
      await clock.sleep(RETRY_DELAY_MS);
    }
  };

  const publishNow = async (entry: HeldEntry): Promise<void> => {
    const { shard } = entry;
    const draft = shard.draft();
    let waiting: Deferred | undefined;
    try {
      const part =
        draft.lines.length === 0
          ? undefined
          : await whileUnavailable(() => writePart(files, shard.shard, draft.epoch, draft.lines));
      let publication: Publication | undefined;
      const isOurs = await queue.run(async () => {
        if (entry.lost) return false;
        if (publication === undefined) {
          // Records that were not written yet are in the publication.
          publication = shard.publish(draft);
          waiting = takeWritten(entry);
        }
        return await publishPart(database, driver, shard.shard, publication, part);
      });
      if (!isOurs || publication?.done === true) held.drop(entry);
      waiting?.resolve();
      entry.publishedAt = clock.monotonic();
    } catch (error) {
      failed = true;
      waiting?.reject(error);
      publisher.onFailure(error);
    }
  };
  const publish = (entry: HeldEntry): Promise<void> =>
    (entry.publishing ??= publishNow(entry).then(() => {
      entry.publishing = undefined;
      publisher.onDone();
      whenDue(entry);
    }));
  const whenDue = (entry: HeldEntry): void => {
    const { shard, publishing, lost } = entry;
    if (lost || failed || publishing !== undefined || !shard.hasUnpublished()) return;
    const isOld = clock.monotonic() - entry.publishedAt >= PUBLISH_AFTER_MS;
    if (shard.isComplete() || isOld || shard.keptBytes() >= MAX_KEPT_BYTES) void publish(entry);
  };
  return {
    /** Begins to publish when the shard is complete, or when its results are old or large. */
    whenDue,
    /** Publishes what is kept. Does not fail: a failure is reported to `onFailure`. */
    publish,
    /** Begins to publish the shard that keeps the most, unless one is being published: too much is kept in all. */
    publishLargest: (): void => {
      const all = held.all();
      if (failed || all.some(({ publishing }) => publishing !== undefined)) return;
      const [largest] = all.toSorted((one, other) => other.shard.keptBytes() - one.shard.keptBytes());
      if (largest !== undefined) void publish(largest);
    },
    /** That of the storage, if it is waited for. */
    outage: (): Outage | undefined => outage.current(),
    /** From now on, a failure of the storage is not waited for. */
    hurry: (): void => {
      hurried = true;
    },
  };
}
