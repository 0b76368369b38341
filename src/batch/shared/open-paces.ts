import { RATE_LIMITS } from '../../queue/limits.ts';
import type { RequestKind } from '../run/submit-and-poll-rates.ts';
import type { StoredBatch } from '../stores/postgres/rows/batch-rows.ts';
import { openSharedPace, type SharedPace } from '../stores/postgres/pace/shared-pace.ts';
import type { SharedPorts } from './ports.ts';

/**
 * Opens the rates that all drivers share at the endpoint of a batch: submissions and polls have limits of their own.
 * `rate` is the limit of submissions per second that the user gave: a higher one than the known limit takes its place.
 */
export function openPaces(
  { database: { autocommit: database }, clock, random }: SharedPorts,
  { name, manifest: { service, endpointId } }: StoredBatch,
  driver: string,
  rate: number = RATE_LIMITS.run.rate,
): Readonly<Record<RequestKind, SharedPace>> {
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
