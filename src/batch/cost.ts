import { arrayOf, memberAt, numberOf, objectOf, type Json } from '../core/json.ts';
import { formatDollars } from '../core/units.ts';

/** US dollars: what is known to be the least, and the most. */
export interface DollarRange {
  readonly low: number;
  readonly high: number;
}

/** What the jobs of a batch cost that one process saw end. */
export interface ExecutionCost extends DollarRange {
  /** The batch was resumed: what had ended before is not in it. */
  readonly sinceResume: boolean;
}

const HOUR_MS = 3_600_000;
/** Digits of an amount that mean something; what lies beyond them is the noise of a product of two fractions. */
const DIGITS = 12;

/**
 * What an hour of one worker of an endpoint costs: on each hardware that it may get, from the endpoint's `gpu` or `cpu`
 * and the catalog of that kind. Undefined where the catalog leaves any of these prices out, or names none.
 */
export function workerHour(endpoint: Json, catalog: readonly Json[]): DollarRange | undefined {
  const gpu = objectOf(memberAt(endpoint, 'gpu'));
  const prices = gpu === undefined ? cpuPrices(endpoint, catalog) : gpuPrices(gpu, catalog);
  const known = prices.filter((price) => price !== undefined && price > 0) as readonly number[];
  if (known.length === 0 || known.length < prices.length) return undefined;
  return { low: Math.min(...known), high: Math.max(...known) };
}

/** CUDA versions may rule out some of these types; which ones the catalog does not tell, and the range holds anyway. */
function gpuPrices(gpu: Json, types: readonly Json[]): readonly (number | undefined)[] {
  const excluded = arrayOf(memberAt(gpu, 'excludedTypes')) ?? [];
  const count = numberOf(memberAt(gpu, 'count') ?? 1);
  return (arrayOf(memberAt(gpu, 'pools')) ?? []).flatMap((pool) => {
    const within = types.filter((type) => memberAt(type, 'pool') === pool);
    if (within.length === 0) return [undefined];
    return within
      .filter((type) => !excluded.includes(memberAt(type, 'id') ?? null))
      .map((type) => times(memberAt(type, 'price.serverless'), count));
  });
}

const cpuPrices = (endpoint: Json, flavors: readonly Json[]): readonly (number | undefined)[] =>
  (arrayOf(memberAt(endpoint, 'cpu')) ?? []).map((cpu) => {
    const flavor = flavors.find((each) => memberAt(each, 'id') === memberAt(cpu, 'id'));
    return times(memberAt(flavor, 'price.serverlessPerVcpu'), numberOf(memberAt(cpu, 'vcpuCount')));
  });

function times(price: Json | undefined, count: number | undefined): number | undefined {
  const each = numberOf(price);
  return each === undefined || count === undefined ? undefined : each * count;
}

/** What so many milliseconds of execution cost, at a price an hour. Idle workers and their start are not in it. */
export function executionCost(hour: DollarRange, milliseconds: number): DollarRange {
  const cost = (dollars: number): number => Number(((dollars * milliseconds) / HOUR_MS).toPrecision(DIGITS));
  return { low: cost(hour.low), high: cost(hour.high) };
}

/** `~$0.0123`, `~$1.12 to $1.90`, `<$0.0001`, `~$0.0123 since resume`. */
export function describeCost({ low, high, sinceResume }: ExecutionCost): string {
  const [least, most] = [formatDollars(low), formatDollars(high)];
  const about = least.startsWith('<') ? '' : '~';
  return `${about}${least === most ? least : `${least} to ${most}`}${sinceResume ? ' since resume' : ''}`;
}
