import { EXIT } from '../core/exit-codes.ts';
import { Failure, usage } from '../core/failure.ts';
import { arrayAt, type Json, memberAt, numberAt, stringAt } from '../core/json.ts';
import { formatDollars } from '../core/units.ts';

export interface Wanted {
  /** In order of preference. */
  readonly gpus: readonly string[];
  /** In order of preference; empty for any. */
  readonly dataCenters: readonly string[];
  readonly count: number;
  readonly cloud: 'SECURE' | 'COMMUNITY';
  /** US dollars an hour for the complete pod. */
  readonly maxPrice: number | undefined;
  readonly prefer: 'order' | 'price';
}

export interface Offer {
  readonly gpu: string;
  readonly dataCenter: string | undefined;
  /** US dollars an hour for the complete pod; undefined if unknown. */
  readonly price: number | undefined;
  /** `HIGH`, `LOW`, `NONE` or another word of the service; undefined if unknown. */
  readonly stock: string | undefined;
}

export const nameOf = ({ gpu, dataCenter }: Pick<Offer, 'gpu' | 'dataCenter'>): string =>
  dataCenter === undefined ? gpu : `${gpu} in ${dataCenter}`;

/** In the order to try. `rows`: with availability. */
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

/** 0 means that the cloud has none (contract, GpuType). */
function priceOf({ cloud, count }: Wanted, row: Json | undefined): number | undefined {
  const price = numberAt(row, `price.${CLOUD_MEMBERS[cloud]}`);
  // Rounded like the service, to a hundredth of a cent.
  return price === undefined || price <= 0 ? undefined : Math.round(price * count * 10_000) / 10_000;
}

function stockOf(row: Json | undefined, dataCenter: string | undefined): string | undefined {
  const overall = stringAt(row, 'availability');
  const places = arrayAt(row, 'dataCenters');
  if (dataCenter === undefined || places === undefined) return overall;
  const place = places.find((each) => stringAt(each, 'id') === dataCenter);
  return place === undefined ? 'NONE' : stringAt(place, 'availability');
}

/** An unknown price is too expensive if there is a limit. */
export const isTooExpensive = ({ price }: Pick<Offer, 'price'>, maxPrice: number | undefined): boolean =>
  maxPrice !== undefined && (price === undefined || price > maxPrice);

/** Limit-exceeded (15) if a higher `--max-price` helps, else usage (2). One possible GPU type is enough. */
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
  readonly kind?: 'unknown' | 'price';
}

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
