import type { Query } from '../../cli/model/collection.ts';
import { CPUS, GPUS } from '../../cli/resource/collections.ts';
import { type ApiRequest, readRequest } from '../../core/api.ts';
import {
  arrayAt,
  itemsAt,
  type Json,
  memberAt,
  numberAt,
  numberOf,
  objectAt,
  objectOf,
  stringAt,
  stringOf,
  stringsOf,
} from '../../core/json.ts';
import { idOf } from '../../output/view.ts';

interface Wanted {
  readonly name: string;
  readonly matches: (row: Json) => boolean;
  readonly request: ApiRequest;
}

export interface StockFinding {
  readonly name: string;
  /** Undefined for all. */
  readonly allowed: readonly string[] | undefined;
  readonly here: readonly string[];
  readonly elsewhere: readonly string[];
  /** GB of the smallest GPU; undefined for CPUs or if unknown. */
  readonly memory: number | undefined;
  /** In stock in an allowed data center, with at least that memory. */
  readonly pools: readonly string[];
}

const catalogRequest = (path: readonly string[], query: Query): ApiRequest =>
  readRequest(path, { query: { include: 'AVAILABILITY', ...query } });

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

/** The smallest vCPU count: stock is a reason only if no flavor is in stock. */
function wantedCpus(flavors: readonly Json[], product: string): Wanted {
  const ids = flavors.flatMap((flavor) => stringAt(flavor, 'id') ?? []);
  const counts = flavors.flatMap((flavor) => numberAt(flavor, 'vcpuCount') ?? []);
  return {
    name: ids.join(' or '),
    matches: (row) => ids.includes(idOf(row)),
    request: catalogRequest(CPUS.path, { product, vcpuCount: counts.length === 0 ? undefined : Math.min(...counts) }),
  };
}

/** `allowed`: undefined for all. Undefined if the catalog lacks the hardware. */
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

/** GB; undefined if any is unknown. */
function smallestMemory(rows: readonly Json[]): number | undefined {
  const sizes = rows.flatMap((row) => numberAt(row, 'memory') ?? []);
  return sizes.length < rows.length || sizes.length === 0 ? undefined : Math.min(...sizes);
}

/** A worker may get any GPU of a pool, so all must be large enough. */
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

function dataCentersOf(row: Json): readonly string[] | undefined {
  const listed = arrayAt(row, 'dataCenters');
  if (listed === undefined) return memberAt(row, 'availability') === 'NONE' ? [] : undefined;
  return listed
    .filter((each) => memberAt(each, 'availability') !== 'NONE')
    .flatMap((each) => stringAt(each, 'id') ?? []);
}

export const noStockSentence = ({ name, allowed }: StockFinding): string =>
  `no stock of ${name} in ${allowed === undefined ? 'any data center' : allowed.join(' or ')}`;

export function stockText({ allowed, here, elsewhere }: StockFinding): string {
  if (here.length > 0) return `in stock in ${here.join(', ')}`;
  const none = `none in ${allowed === undefined ? 'any data center' : allowed.join(', ')}`;
  return elsewhere.length === 0 ? none : `${none}; some in ${elsewhere.join(', ')}`;
}
