import {
  arrayAt,
  itemsAt,
  memberAt,
  numberAt,
  numberOf,
  objectAt,
  objectOf,
  stringAt,
  stringOf,
  stringsOf,
  type Json,
} from '../../../core/json.ts';
import { readRequest, type ApiRequest } from '../../../core/api.ts';
import { CPUS, GPUS } from '../collections.ts';
import type { Query } from '../../../cli/model/collection.ts';
import { idOf } from '../../../output/view.ts';

/** The hardware whose stock is searched. */
export interface Wanted {
  /** For messages: `POOL-80G`, or `POOL-80G or POOL-48G`. */
  readonly name: string;
  readonly matches: (row: Json) => boolean;
  /** The request for the catalog with its availability (contract rules, Catalog). */
  readonly request: ApiRequest;
}

/** Where some hardware is in stock. */
export interface StockFinding {
  readonly name: string;
  /** The data centers that may be used; undefined for all. */
  readonly allowed: readonly string[] | undefined;
  /** The allowed data centers that have it. */
  readonly here: readonly string[];
  /** The other data centers that have it. */
  readonly elsewhere: readonly string[];
  /** GB of the smallest GPU that is wanted; undefined for CPUs, and where the catalog does not say it. */
  readonly memory: number | undefined;
  /** The pools that an allowed data center has, of GPUs with at least that memory only. */
  readonly pools: readonly string[];
}

const catalogRequest = (path: readonly string[], query: Query): ApiRequest =>
  readRequest(path, { query: { include: 'AVAILABILITY', ...query } });

/** The hardware that an endpoint's workers need; undefined when the endpoint does not specify it. */
export function wantedByEndpoint(endpoint: Json): Wanted | undefined {
  const gpu = objectAt(endpoint, 'gpu');
  if (gpu !== undefined) {
    const [pools, excluded] = [stringsOf(gpu['pools']), stringsOf(gpu['excludedTypes'])];
    const versions = stringsOf(gpu['allowedCudaVersions']);
    return {
      name: pools.join(' or '),
      matches: (row) => pools.includes(stringAt(row, 'pool') ?? '') && !excluded.includes(idOf(row)),
      request: catalogRequest(GPUS.path, {
        product: 'SERVERLESS',
        count: numberOf(gpu['count']),
        cudaVersions: versions.length === 0 ? undefined : versions.join(','),
        minCudaVersion: stringOf(gpu['minCudaVersion']),
      }),
    };
  }
  const flavors = itemsAt(endpoint, 'cpu');
  return flavors.length === 0 ? undefined : wantedCpus(flavors, 'SERVERLESS');
}

/** The hardware that a pod needs; undefined when the pod does not specify it. */
export function wantedByPod(pod: Json): Wanted | undefined {
  const id = stringAt(pod, 'gpu.id');
  const cpu = memberAt(pod, 'cpu');
  if (id === undefined) return objectOf(cpu) === undefined ? undefined : wantedCpus([cpu ?? null], 'POD');
  return {
    name: id,
    matches: (row) => memberAt(row, 'id') === id,
    request: catalogRequest(GPUS.path, {
      product: 'POD',
      count: numberAt(pod, 'gpu.count'),
      cloud: stringAt(pod, 'cloud'),
    }),
  };
}

/**
 * Of several flavors, the smallest number of vCPUs is used: stock is a reason only when none of the flavors is in
 * stock.
 */
function wantedCpus(flavors: readonly Json[], product: string): Wanted {
  const ids = flavors.flatMap((flavor) => stringAt(flavor, 'id') ?? []);
  const counts = flavors.flatMap((flavor) => numberAt(flavor, 'vcpuCount') ?? []);
  return {
    name: ids.join(' or '),
    matches: (row) => ids.includes(idOf(row)),
    request: catalogRequest(CPUS.path, { product, vcpuCount: counts.length === 0 ? undefined : Math.min(...counts) }),
  };
}

/**
 * Where the wanted hardware is in stock. `allowed` are the data centers that may be used; undefined for all. Returns
 * undefined when the catalog does not contain it.
 */
export function findStock(
  wanted: Wanted,
  catalog: Json,
  allowed: readonly string[] | undefined,
): StockFinding | undefined {
  const rows = arrayAt(catalog, 'gpus') ?? arrayAt(catalog, 'cpus') ?? [];
  const found = rows.filter(wanted.matches);
  const places = found.map(dataCentersOf);
  if (places.length === 0 || places.includes(undefined)) return undefined;
  const inStock = [...new Set(places.flatMap((each) => each ?? []))];
  const isAllowed = (id: string): boolean => allowed === undefined || allowed.includes(id);
  const memory = smallestMemory(found);
  return {
    name: wanted.name,
    allowed,
    here: inStock.filter(isAllowed),
    elsewhere: inStock.filter((id) => !isAllowed(id)),
    memory,
    pools: memory === undefined ? [] : poolsInStock(rows, memory, isAllowed),
  };
}

/** GB of the smallest of some GPUs; undefined where one has no number. */
function smallestMemory(rows: readonly Json[]): number | undefined {
  const sizes = rows.flatMap((row) => numberAt(row, 'memory') ?? []);
  return sizes.length < rows.length || sizes.length === 0 ? undefined : Math.min(...sizes);
}

/** A worker may get any GPU of a pool, so each of them must be large enough. A GPU type without a pool is none. */
function poolsInStock(
  rows: readonly Json[],
  memory: number,
  isAllowed: (dataCenter: string) => boolean,
): readonly string[] {
  const pools = new Set(rows.flatMap((row) => stringAt(row, 'pool') ?? []));
  return [...pools].filter((pool) => {
    const types = rows.filter((row) => memberAt(row, 'pool') === pool);
    const hasStock = types.some((row) => (dataCentersOf(row) ?? []).some(isAllowed));
    return hasStock && (smallestMemory(types) ?? 0) >= memory;
  });
}

/** The data centers that have a catalog entry in stock; undefined when the answer does not contain it. */
function dataCentersOf(row: Json): readonly string[] | undefined {
  const listed = arrayAt(row, 'dataCenters');
  if (listed === undefined) return memberAt(row, 'availability') === 'NONE' ? [] : undefined;
  return listed
    .filter((each) => memberAt(each, 'availability') !== 'NONE')
    .flatMap((each) => stringAt(each, 'id') ?? []);
}

/** `no stock of POOL-80G in EU-NORTH-1`. */
export const noStockSentence = ({ name, allowed }: StockFinding): string =>
  `no stock of ${name} in ${allowed === undefined ? 'any data center' : allowed.join(' or ')}`;

/** For evidence: `none in EU-NORTH-1; some in US-EAST-1`. */
export function stockText({ allowed, here, elsewhere }: StockFinding): string {
  if (here.length > 0) return `in stock in ${here.join(', ')}`;
  const none = `none in ${allowed === undefined ? 'any data center' : allowed.join(', ')}`;
  return elsewhere.length === 0 ? none : `${none}; some in ${elsewhere.join(', ')}`;
}
