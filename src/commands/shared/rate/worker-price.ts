import { isObject, itemsAt, type Json, memberAt, numberAt, numberOf, objectAt, stringAt } from '../../../core/json.ts';
import type { DollarRange } from '../../../core/units.ts';
import type { Collection } from '../../../cli/model/collection.ts';
import { CPUS, GPUS } from '../collections.ts';

/** The catalog with the prices of an endpoint's hardware. */
export const priceCatalog = (endpoint: Json): Collection => (isObject(memberAt(endpoint, 'gpu')) ? GPUS : CPUS);

/**
 * The lowest and highest price of one worker in US dollars per hour, over the hardware that the endpoint's `gpu` or `cpu`
 * allows. `catalog` has the rows of that kind of hardware. Undefined where the catalog lacks one of the prices.
 */
export function workerHourlyPrice(endpoint: Json, catalog: readonly Json[]): DollarRange | undefined {
  const gpu = objectAt(endpoint, 'gpu');
  const prices = gpu === undefined ? cpuPrices(endpoint, catalog) : gpuPrices(gpu, catalog);
  const known = prices.filter((price) => price !== undefined).filter((price) => price > 0);
  if (known.length === 0 || known.length < prices.length) return undefined;
  return { low: Math.min(...known), high: Math.max(...known) };
}

/** The CUDA versions of the endpoint may exclude types too. The catalog does not say which, so the range may be too wide. */
function gpuPrices(gpu: Json, types: readonly Json[]): readonly (number | undefined)[] {
  const excluded = itemsAt(gpu, 'excludedTypes');
  const count = numberOf(memberAt(gpu, 'count') ?? 1);
  return itemsAt(gpu, 'pools').flatMap((pool) => {
    const within = types.filter((type) => memberAt(type, 'pool') === pool);
    if (within.length === 0) return [undefined];
    return within
      .filter((type) => !excluded.includes(memberAt(type, 'id') ?? null))
      .map((type) => times(memberAt(type, 'price.serverless'), count));
  });
}

const cpuPrices = (endpoint: Json, flavors: readonly Json[]): readonly (number | undefined)[] =>
  itemsAt(endpoint, 'cpu').map((cpu) => {
    const flavor = flavors.find((each) => memberAt(each, 'id') === memberAt(cpu, 'id'));
    return times(memberAt(flavor, 'price.serverlessPerVcpu'), numberAt(cpu, 'vcpuCount'));
  });

function times(price: Json | undefined, count: number | undefined): number | undefined {
  const each = numberOf(price);
  return each === undefined || count === undefined ? undefined : each * count;
}

/** What a worker costs by the GPU type that it names, in US dollars an hour. Undefined where it names none, or the catalog has no price. */
export function workerPriceByType(worker: Json, gpus: readonly Json[]): number | undefined {
  const type = stringAt(worker, 'gpuTypeId');
  const row = gpus.find((each) => memberAt(each, 'id') === type);
  const price = times(memberAt(row, 'price.serverless'), numberAt(worker, 'gpuCount') ?? 1);
  // The catalog has 0 for a type that is not for workers.
  return price === 0 ? undefined : price;
}
