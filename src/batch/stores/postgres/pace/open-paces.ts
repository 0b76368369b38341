import { RATE_LIMITS } from '../../../../queue/limits.ts';
import type { StoredBatch } from '../rows/batch-rows.ts';
import { openSharedPace } from './shared-pace.ts';
import type { StorePorts } from '../../../model/store.ts';
import type { Paces, RequestKind } from '../../../model/run-records.ts';
import type { Database } from '../database/database.ts';

/**
 * Opens the rates that all drivers share at the endpoint of a batch: submissions and polls have limits of their own.
 * `rate` is the limit of submissions per second that the user gave: a higher one than the known limit takes its place.
 */
export function openPaces(
  { clock, random }: Pick<StorePorts, 'clock' | 'random'>,
  { autocommit: database }: Database,
  { name, manifest: { service, endpointId } }: StoredBatch,
  driver: string,
  rate: number = RATE_LIMITS.run.rate,
): Paces {
  const open = (kind: RequestKind, known: { readonly rate: number; readonly concurrency: number }, batchRate: number) =>
    openSharedPace({
      database,
      clock,
      random,
      key: `${service} ${endpointId} ${kind}`,
      batch: name,
      driver,
      batchRate,
      limits: { rate: Math.max(known.rate, batchRate), concurrency: known.concurrency },
    });
  const { run, status } = RATE_LIMITS;
  return { submit: open('submit', run, rate), poll: open('poll', status, Math.max(status.rate, 2 * rate)) };
}
