import {
  count,
  cudaVersion,
  filledText,
  list,
  positive,
  ref,
  text,
  time,
  whole,
  type Schema,
} from './schemas/schema.ts';

export interface Parameter {
  readonly in: 'query' | 'header';
  readonly name: string;
  readonly schema: Schema;
}

export const query = (name: string, schema: Schema): Parameter => ({ in: 'query', name, schema });

const include = query('include', list(ref('CatalogInclude'), { maxItems: 1 }));

/** The parameters of the operations that read GPU types. */
export const GPU_FILTERS: readonly Parameter[] = [
  include,
  query('product', list(ref('Product'))),
  query('count', { ...positive, default: 1 }),
  query('cloud', ref('GpuCloudFilter')),
  query('countryCodes', list({ ...text, pattern: '^[A-Z]{2}$' })),
  query('cudaVersions', list(cudaVersion)),
  query('minCudaVersion', { ...text, pattern: '^\\d+(\\.\\d+)?$' }),
];

/** The parameters of the operations that read CPU flavors. */
export const CPU_FILTERS: readonly Parameter[] = [
  include,
  query('product', list(ref('CpuProduct'))),
  query('vcpuCount', { ...whole, minimum: 2 }),
];

/** The parameters of the operations that stream a log. */
export const LOGS: readonly Parameter[] = [
  query('source', ref('LogSource')),
  query('tail', { ...count, maximum: 5000, default: 100 }),
  query('since', time),
  { in: 'header', name: 'Last-Event-ID', schema: time },
];

const cursor = query('cursor', filledText);

/** The parameters of a list that comes in pages (additions 1). */
export const PAGES: readonly Parameter[] = [cursor, query('limit', { ...positive, maximum: 1000 })];

/** Those of the builds of an endpoint. */
export const BUILD_PAGES: readonly Parameter[] = [cursor, query('limit', { ...positive, maximum: 100 })];

/** The parameters of every report of billing. */
export const BILLING: readonly Parameter[] = [
  query('startTime', time),
  query('endTime', time),
  query('bucketSize', ref('BillingBucketSize')),
  query('lastN', positive),
];
