import { isDeepStrictEqual } from 'node:util';
import { berth, inOne, sentence } from '../../core/message.ts';
import { type Json, type JsonObject, memberAt, numberAt, objectOf } from '../../core/json.ts';
import { type DollarRange, formatDollarRange, formatDuration } from '../../core/units.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { merged } from '../../cli/resource/request-body.ts';
import type { Price } from '../../cli/resource/ask-before-write.ts';
import { countOf } from '../../cli/words.ts';
import { idOf } from '../../output/view.ts';
import { CONTAINER_MEMBERS } from '../../cli/container/container-fields.ts';
import {
  HOURS_PER_MONTH,
  keptLine,
  keptWorkers,
  minimumPrice,
  priceCatalog,
  workerHourlyPrice,
} from '../../cli/money/hourly-cost.ts';
import { lookupWorkers, rowsUnlessFailed } from '../../cli/money/account-line.ts';
import { storagePrice } from '../../cli/money/disks.ts';

/** What the service sets where a create names none (contract rules, Serverless). */
const DEFAULT_MAX = 3;

export const minWorkers = (endpoint: Json): number => numberAt(endpoint, 'workers.min') ?? 0;

export const maxWorkers = (endpoint: Json): number => numberAt(endpoint, 'workers.max') ?? DEFAULT_MAX;

const UNKNOWN_PRICE = 'a price that the catalog does not tell';

export const alwaysRunning = (perHour: DollarRange): string =>
  [
    `${formatDollarRange(perHour)} an hour`,
    `${formatDollarRange({ low: perHour.low * HOURS_PER_MONTH, high: perHour.high * HOURS_PER_MONTH })} a month`,
  ].join(', ');

export const times = ({ low, high }: DollarRange, count: number): DollarRange => ({
  low: low * count,
  high: high * count,
});

export async function raise(
  ctx: CommandContext,
  body: JsonObject,
  readRow: () => Promise<Json>,
): Promise<Price | undefined> {
  const disk = numberAt(body, 'disk');
  const before = disk === undefined ? undefined : numberAt(await readRow(), 'disk');
  const parts = [
    await raiseOfWorkers(ctx, body, readRow),
    await raiseOfIdleTimeout(body, readRow),
    storagePrice(
      disk === undefined || before === undefined
        ? []
        : [{ name: 'container disk of each worker', from: before, to: disk }],
    ),
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  return { line: inOne(parts.map(({ line }) => line)), asks: parts.some(({ asks }) => asks) };
}

/** A worker without jobs is paid for its idle timeout. */
async function raiseOfIdleTimeout(body: JsonObject, readRow: () => Promise<Json>): Promise<Price | undefined> {
  const to = numberAt(body, 'workers.idleTimeout');
  const from = to === undefined ? undefined : numberAt(await readRow(), 'workers.idleTimeout');
  if (to === undefined || from === undefined || to <= from) return undefined;
  const duration = (seconds: number): string => formatDuration(seconds * 1000);
  return { line: `A worker without jobs is paid until it stops: ${duration(from)} to ${duration(to)}.`, asks: true };
}

/** If the hardware of the current workers is unknown. */
const MAY_KEEP = 'Workers that run now may keep their hardware, and its price, until they stop.';

/** Current workers keep their hardware, unless the change makes a release. Asks unless it costs less. */
async function raiseOfWorkers(
  ctx: CommandContext,
  body: JsonObject,
  readRow: () => Promise<Json>,
): Promise<Price | undefined> {
  if (['gpu', 'cpu', 'workers'].every((member) => body[member] === undefined)) return undefined;
  const before = await readRow();
  const after = merged(objectOf(before) ?? {}, body);
  const [from, to] = [minWorkers(before), minWorkers(after)];
  const isOther = ['gpu', 'cpu'].some((member) => !isDeepStrictEqual(after[member], memberAt(before, member)));
  if (!isOther && from === to && (from > 0 || maxWorkers(after) <= maxWorkers(before))) return undefined;
  const id = idOf(before);
  const [catalog = [], workers] = await Promise.all([
    rowsUnlessFailed(ctx, priceCatalog(before)),
    lookupWorkers(ctx, id),
  ]);
  const keptBy = (endpoint: Json): readonly Json[] => keptWorkers(endpoint, workers ?? [], catalog);
  const kept = isRelease(before, body) ? [] : keptBy(after);
  const raised =
    from === 0 && to === 0
      ? raiseWithoutMinimum(before, after, isOther, catalog)
      : raiseOfMinimum([before, keptBy(before)], [after, kept], isOther, catalog);
  const isUnclear = isOther && !isRelease(before, body) && (workers === undefined || body['cpu'] !== undefined);
  const stays = keptLine(after, kept, catalog) ?? (isUnclear && workers?.length !== 0 ? MAY_KEEP : undefined);
  const parts = [
    raised?.line,
    stays,
    kept.length === 0 || to === 0
      ? undefined
      : sentence`To replace what runs now: ${berth`endpoints update ${id} --workers-min 0`}, and --workers-min ${String(to)} when it has stopped.`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : { line: inOne(parts), asks: raised?.asks ?? false };
}

/** A release replaces all workers (contract rules, Serverless endpoints). */
const isRelease = (before: Json, body: JsonObject): boolean =>
  ['templateId', ...CONTAINER_MEMBERS].some(
    (member) => body[member] !== undefined && !isDeepStrictEqual(body[member], memberAt(before, member)),
  );

/** `kept`: workers on other hardware than the endpoint asks for. */
type WithKept = readonly [endpoint: Json, kept: readonly Json[]];

/** Asks if it is higher, or will be once the kept workers have stopped. */
function raiseOfMinimum(
  [before, keptBefore]: WithKept,
  [after, keptAfter]: WithKept,
  isOther: boolean,
  catalog: readonly Json[],
): LineAndAsks | undefined {
  const [from, to] = [minWorkers(before), minWorkers(after)];
  const [was, is] = [minimumPrice(before, keptBefore, catalog), minimumPrice(after, keptAfter, catalog)];
  const later = minimumPrice(after, [], catalog);
  if (was !== undefined && isDeepStrictEqual(was, is) && isDeepStrictEqual(was, later)) return undefined;
  const isLess =
    to === 0 || (to <= from && !isOther) || (was !== undefined && later !== undefined && later.high <= was.high);
  const price = (range: DollarRange | undefined): string =>
    range === undefined ? UNKNOWN_PRICE : alwaysRunning(range);
  const line = `Workers that always run, also without jobs: ${from} (${price(was)}) to ${to} (${price(is)}).`;
  return { line, asks: !isLess };
}

interface LineAndAsks {
  readonly line: string;
  readonly asks: boolean;
}

/** For an endpoint without workers that always run. Asks if a worker's price is higher. */
function raiseWithoutMinimum(
  before: Json,
  after: JsonObject,
  isOther: boolean,
  catalog: readonly Json[],
): LineAndAsks | undefined {
  const [fromMax, toMax] = [maxWorkers(before), maxWorkers(after)];
  if (!isOther && toMax <= fromMax) return undefined;
  const [was, is] = [workerHourlyPrice(before, catalog), workerHourlyPrice(after, catalog)];
  if (was !== undefined && is !== undefined && was.high * fromMax === is.high * toMax) return undefined;
  const price = (range: DollarRange | undefined, max: number): string =>
    `${range === undefined ? UNKNOWN_PRICE : `${formatDollarRange(range)} an hour`}, ${countOf(max, 'worker')} at most`;
  const line = `A worker while it runs: ${price(was, fromMax)}; after the change ${price(is, toMax)}.`;
  return { line, asks: was === undefined || is === undefined || is.high * toMax > was.high * fromMax };
}
