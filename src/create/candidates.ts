/** What a create may be placed on, with its price and its stock as the catalog has them. */
import { EXIT } from '../core/exit-codes.ts';
import { Failure, usage } from '../core/failure.ts';
import { arrayAt, memberAt, numberAt, stringAt, type Json } from '../core/json.ts';
import { formatDollars } from '../core/units.ts';

/** What is asked for. */
export interface Wanted {
  /** GPU types, in the order of preference. */
  readonly gpus: readonly string[];
  /** Data centers, in the order of preference; any where empty. */
  readonly dataCenters: readonly string[];
  /** GPUs of one pod. */
  readonly count: number;
  readonly cloud: 'SECURE' | 'COMMUNITY';
  /** US dollars an hour for the whole pod. */
  readonly maxPrice: number | undefined;
  readonly prefer: 'order' | 'price';
}

/** One GPU type in one data center, or in any. */
export interface Offer {
  readonly gpu: string;
  readonly dataCenter: string | undefined;
  /** US dollars an hour for the whole pod; undefined where the catalog does not say. */
  readonly price: number | undefined;
  /** `HIGH`, `LOW`, `NONE` or another word of the service; undefined where the catalog does not say. */
  readonly stock: string | undefined;
}

/** A name for an offer: `GPU-80G in EU-NORTH-1`. */
export const nameOf = ({ gpu, dataCenter }: Pick<Offer, 'gpu' | 'dataCenter'>): string =>
  dataCenter === undefined ? gpu : `${gpu} in ${dataCenter}`;

/** The offers in the order in which they are tried. `rows` are the GPU types of the catalog, with their availability. */
export function offersOf(wanted: Wanted, rows: readonly Json[]): readonly Offer[] {
  const { gpus, dataCenters, prefer } = wanted;
  const offers = [...new Set(gpus)].flatMap((gpu) => {
    const row = rowOf(rows, gpu);
    const price = priceOf(wanted, row);
    const places = dataCenters.length === 0 ? [undefined] : [...new Set(dataCenters)];
    return places.map((dataCenter) => ({ gpu, dataCenter, price, stock: stockOf(row, dataCenter) }));
  });
  if (prefer === 'order') return offers;
  return offers.toSorted((a, b) => (a.price ?? Number.MAX_VALUE) - (b.price ?? Number.MAX_VALUE));
}

const rowOf = (rows: readonly Json[], gpu: string): Json | undefined => rows.find((row) => stringAt(row, 'id') === gpu);

const CLOUD_MEMBERS = { SECURE: 'secure', COMMUNITY: 'community' } as const;

/** The price of the pod; a price of 0 means that the cloud has none of it (contract, GpuType). */
function priceOf({ cloud, count }: Wanted, row: Json | undefined): number | undefined {
  const price = numberAt(row, `price.${CLOUD_MEMBERS[cloud]}`);
  // As the service rounds it: to a hundredth of a cent.
  return price === undefined || price <= 0 ? undefined : Math.round(price * count * 10_000) / 10_000;
}

function stockOf(row: Json | undefined, dataCenter: string | undefined): string | undefined {
  const overall = stringAt(row, 'availability');
  const places = arrayAt(row, 'dataCenters');
  if (dataCenter === undefined || places === undefined) return overall;
  const place = places.find((each) => stringAt(each, 'id') === dataCenter);
  return place === undefined ? 'NONE' : stringAt(place, 'availability');
}

/** Whether an offer costs more than is allowed, or its price is not known where there is a limit. */
export const isTooExpensive = ({ price }: Pick<Offer, 'price'>, maxPrice: number | undefined): boolean =>
  maxPrice !== undefined && (price === undefined || price > maxPrice);

/**
 * Refuses what can never be placed, by the GPU types of the catalog and the ids of the data centers: limit-exceeded (15)
 * where another `--max-price` would allow it, and otherwise usage (2). Where one of several GPU types cannot, the others may.
 */
export function refuseNever(wanted: Wanted, rows: readonly Json[], dataCenters: readonly string[]): void {
  const unknown = wanted.dataCenters.find((id) => dataCenters.length > 0 && !dataCenters.includes(id));
  if (unknown !== undefined) throw usage(`there is no data center ${unknown}`, `One of ${dataCenters.join(', ')}.`);
  const reasons = wanted.gpus.map((gpu) => whyNever(wanted, gpu, rows));
  const [missing] = reasons.filter((reason) => reason?.kind === 'unknown');
  if (missing !== undefined) throw usage(missing.text, `One of ${rows.map((row) => stringAt(row, 'id')).join(', ')}.`);
  if (!reasons.every((reason) => reason !== undefined)) return;
  const message = [...new Set(reasons.map(({ text }) => text))].join('; ');
  const hint = 'Nothing was sent.';
  if (!reasons.some(({ kind }) => kind === 'price')) throw usage(message, hint);
  throw new Failure({ code: 'limit-exceeded', exit: EXIT.limitExceeded, message, hint });
}

interface Reason {
  readonly text: string;
  /** The catalog does not have it: a wrong word; or it costs too much. */
  readonly kind?: 'unknown' | 'price';
}

/** Why a GPU type can never be placed, by its row of the catalog; undefined where it can. */
export function whyNever(wanted: Wanted, gpu: string, rows: readonly Json[]): Reason | undefined {
  const row = rowOf(rows, gpu);
  if (row === undefined) return { text: `there is no GPU type ${gpu}`, kind: 'unknown' };
  const most = numberAt(row, `maxCount.${CLOUD_MEMBERS[wanted.cloud]}`);
  if (memberAt(row, CLOUD_MEMBERS[wanted.cloud]) === false || most === 0)
    return { text: `the ${wanted.cloud} cloud has no ${gpu}` };
  if (most !== undefined && wanted.count > most)
    return { text: `a pod has at most ${most} ${gpu} on the ${wanted.cloud} cloud, not ${wanted.count}` };
  const price = priceOf(wanted, row);
  if (!isTooExpensive({ price }, wanted.maxPrice)) return undefined;
  const cost = price === undefined ? 'has no price in the catalog' : `costs ${formatDollars(price)} an hour`;
  return {
    kind: 'price',
    text: `${wanted.count} x ${gpu} ${cost}, and --max-price is ${formatDollars(wanted.maxPrice ?? 0)}`,
  };
}
