import { count, cudaVersion, list, positive, ref, text, time, whole, type Schema } from './schema.ts';

export interface Parameter {
  readonly in: 'query' | 'header';
  readonly name: string;
  readonly schema: Schema;
}

export const query = (name: string, schema: Schema): Parameter => ({ in: 'query', name, schema });
const version = cudaVersion;

/** The parameters that several operations share, by their published names. */
export const sharedParameters: Readonly<Record<string, Parameter>> = {
  BillingStartTime: query('startTime', time),
  BillingEndTime: query('endTime', time),
  BillingBucketSize: query('bucketSize', ref('BillingBucketSize')),
  BillingLastN: query('lastN', positive),
  CatalogIncludeParam: query('include', list(ref('CatalogInclude'), { maxItems: 1 })),
  GpuProductFilter: query('product', list(ref('Product'))),
  GpuCountFilter: query('count', { ...positive, default: 1 }),
  GpuCloudFilter: query('cloud', ref('GpuCloudFilter')),
  CountryCodesFilter: query('countryCodes', list({ ...text, pattern: '^[A-Z]{2}$' })),
  CudaVersionsFilter: query('cudaVersions', list(version)),
  MinCudaVersionFilter: query('minCudaVersion', { ...text, pattern: '^\\d+(\\.\\d+)?$' }),
  CpuProductFilter: query('product', list(ref('CpuProduct'))),
  CpuVCPUCountFilter: query('vcpuCount', { ...whole, minimum: 2 }),
  LogSourceParam: query('source', ref('LogSource')),
  LogTail: query('tail', { ...count, maximum: 5000, default: 100 }),
  LogSince: query('since', time),
  LogLastEventID: { in: 'header', name: 'Last-Event-ID', schema: time },
};
