import {
  extended,
  list,
  number,
  object,
  orNull,
  partial,
  ref,
  text,
  time,
  whole,
  type Schema,
  type Schemas,
} from './schema.ts';

/** The kinds of charges, as members of the summary. */
export const AMOUNTS = [
  'podGpuAmount',
  'podCpuAmount',
  'podDiskAmount',
  'serverlessGpuAmount',
  'serverlessCpuAmount',
  'serverlessDiskAmount',
  'serverlessFeeAmount',
  'storageStandardAmount',
  'storageHighPerformanceAmount',
  'endpointAmount',
  'clusterGpuAmount',
  'clusterDiskAmount',
  'clusterNetworkingAmount',
] as const;

/** A report that has a record for each resource in each bucket. */
interface ByResource {
  /** The member with the id of a resource. */
  readonly id: string;
  /** The member with the number of the resources. */
  readonly count: string;
}

/** The schemas of one report, whose names have a prefix in common: `Pod` of `PodBillingRecord`. */
function reportSchemas(prefix: string, amounts: readonly string[], by?: ByResource): Schemas {
  const dollars: Schema = { ...number, format: 'double' };
  const name = (part: string): string => `${prefix}Billing${part}`;
  const query = by === undefined ? 'BillingQuery' : name('Query');
  return {
    [name('Amounts')]: object(Object.fromEntries(['totalAmount', ...amounts].map((member) => [member, dollars]))),
    [name('Record')]: {
      allOf: [ref('BillingTimeRange'), ref(name('Amounts')), ...(by === undefined ? [] : [object({ [by.id]: text })])],
    },
    ...(by === undefined ? {} : { [query]: extended('BillingQuery', partial({ [by.id]: orNull('string') })) }),
    [name('Metadata')]: object({
      query: ref(query),
      recordCount: whole,
      ...(by === undefined ? {} : { [by.count]: whole }),
      totals: ref(name('Amounts')),
    }),
    [`List${name('Response')}`]: object({ records: list(ref(name('Record'))), metadata: ref(name('Metadata')) }),
  };
}

/** The published schemas of billing, names as on the wire. */
export const billingSchemas: Schemas = {
  BillingTimeRange: object({ startTime: time, endTime: time }),
  BillingBucketSize: { ...text, enum: ['hour', 'day', 'week', 'month', 'year'], default: 'day' },
  BillingQuery: extended('BillingTimeRange', object({ bucketSize: ref('BillingBucketSize') })),
  ...reportSchemas('', AMOUNTS),
  ...reportSchemas('Pod', ['gpuAmount', 'cpuAmount', 'diskAmount'], { id: 'podId', count: 'uniquePodCount' }),
  ...reportSchemas('Serverless', ['gpuAmount', 'cpuAmount', 'diskAmount', 'feeAmount'], {
    id: 'serverlessId',
    count: 'uniqueServerlessCount',
  }),
  ...reportSchemas('Endpoint', []),
  ...reportSchemas('NetworkVolume', ['standardAmount', 'highPerformanceAmount'], {
    id: 'networkVolumeId',
    count: 'uniqueNetworkVolumeCount',
  }),
  ...reportSchemas('Cluster', ['gpuAmount', 'diskAmount', 'networkingAmount'], {
    id: 'clusterId',
    count: 'uniqueClusterCount',
  }),
};
