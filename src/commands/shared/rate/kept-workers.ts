/**
 * The workers of an endpoint that run on other hardware than it asks for. The contract does not say that a change of the hardware
 * replaces them: only another container does (contract rules, Serverless endpoints). They are paid as before until they stop.
 */
import { itemsAt, type Json, memberAt, numberAt, objectAt, stringAt } from '../../../core/json.ts';
import { type DollarRange, formatDollarRange } from '../../../core/units.ts';
import { countOf } from '../../../cli/words/words.ts';
import { workerHourlyPrice, workerPriceByType } from './worker-price.ts';

/**
 * Those of the workers whose hardware the endpoint does not ask for. Stale ones are being replaced, and are left out. A worker on
 * CPUs does not say its hardware (contract, Worker), so none of those is found.
 */
export const keptWorkers = (endpoint: Json, workers: readonly Json[], gpus: readonly Json[]): readonly Json[] =>
  workers.filter((worker) => memberAt(worker, 'isStale') !== true && isOther(worker, endpoint, gpus));

function isOther(worker: Json, endpoint: Json, gpus: readonly Json[]): boolean {
  const [gpu, type] = [objectAt(endpoint, 'gpu'), stringAt(worker, 'gpuTypeId')];
  const pool = memberAt(
    gpus.find((row) => memberAt(row, 'id') === type),
    'pool',
  );
  if (gpu === undefined || type === undefined || pool === undefined) return false;
  const isAllowed = itemsAt(gpu, 'pools').includes(pool) && !itemsAt(gpu, 'excludedTypes').includes(type);
  return !isAllowed || (numberAt(worker, 'gpuCount') ?? 1) !== (numberAt(gpu, 'count') ?? 1);
}

/**
 * What the workers of an endpoint that always run cost in US dollars an hour: those in `kept` as they are, the others by what the
 * endpoint asks for. Undefined where the catalog lacks a price.
 */
export function minimumPrice(endpoint: Json, kept: readonly Json[], catalog: readonly Json[]): DollarRange | undefined {
  const least = numberAt(endpoint, 'workers.min') ?? 0;
  const own = keptPrice(kept.slice(0, least), catalog);
  const others = Math.max(0, least - kept.length);
  const each = others === 0 ? { low: 0, high: 0 } : workerHourlyPrice(endpoint, catalog);
  if (own === undefined || each === undefined) return undefined;
  return { low: own + each.low * others, high: own + each.high * others };
}

function keptPrice(kept: readonly Json[], gpus: readonly Json[]): number | undefined {
  const prices = kept.flatMap((worker) => workerPriceByType(worker, gpus) ?? []);
  return prices.length < kept.length ? undefined : prices.reduce((sum, price) => sum + price, 0);
}

/**
 * `1 worker that runs now keeps its hardware until it stops, at $4.18 an hour; one that starts later costs $1.90 an hour.` Undefined
 * for none.
 */
export function keptLine(endpoint: Json, kept: readonly Json[], catalog: readonly Json[]): string | undefined {
  if (kept.length === 0) return undefined;
  const [price, later] = [keptPrice(kept, catalog), workerHourlyPrice(endpoint, catalog)];
  const who =
    kept.length === 1
      ? '1 worker that runs now keeps its hardware until it stops'
      : `${countOf(kept.length, 'worker')} that run now keep their hardware until they stop`;
  const at = price === undefined ? '' : `, at ${formatDollarRange({ low: price, high: price })} an hour`;
  const next = later === undefined ? '' : `; one that starts later costs ${formatDollarRange(later)} an hour`;
  return `${who}${at}${next}.`;
}
