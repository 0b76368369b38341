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

const AMOUNTS = [
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

export type AmountName = (typeof AMOUNTS)[number];

export interface Report {
  readonly prefix: string;
  /** Members of a record, and the amount in each; `totalAmount` is the sum of all. */
  readonly amounts: Readonly<Record<string, AmountName>>;
  /** When there is one record per resource: the member with its id, also the filter, and the member with their number. */
  readonly by?: { readonly id: string; readonly count: string };
  readonly totalOnly?: boolean;
}

export const REPORTS = {
  summary: { prefix: '', amounts: Object.fromEntries(AMOUNTS.map((name) => [name, name])) },
  pods: {
    prefix: 'Pod',
    amounts: { gpuAmount: 'podGpuAmount', cpuAmount: 'podCpuAmount', diskAmount: 'podDiskAmount' },
    by: { id: 'podId', count: 'uniquePodCount' },
  },
  serverless: {
    prefix: 'Serverless',
    amounts: {
      gpuAmount: 'serverlessGpuAmount',
      cpuAmount: 'serverlessCpuAmount',
      diskAmount: 'serverlessDiskAmount',
      feeAmount: 'serverlessFeeAmount',
    },
    by: { id: 'serverlessId', count: 'uniqueServerlessCount' },
  },
  endpoints: { prefix: 'Endpoint', amounts: { endpointAmount: 'endpointAmount' }, totalOnly: true },
  volumes: {
    prefix: 'NetworkVolume',
    amounts: { standardAmount: 'storageStandardAmount', highPerformanceAmount: 'storageHighPerformanceAmount' },
    by: { id: 'networkVolumeId', count: 'uniqueNetworkVolumeCount' },
  },
  clusters: {
    prefix: 'Cluster',
    amounts: {
      gpuAmount: 'clusterGpuAmount',
      diskAmount: 'clusterDiskAmount',
      networkingAmount: 'clusterNetworkingAmount',
    },
    by: { id: 'clusterId', count: 'uniqueClusterCount' },
  },
} as const satisfies Readonly<Record<string, Report>>;

function reportSchemas({ prefix, amounts, by, totalOnly = false }: Report): Schemas {
  const dollars: Schema = { ...number, format: 'double' };
  const name = (part: string): string => `${prefix}Billing${part}`;
  const query = by === undefined ? 'BillingQuery' : name('Query');
  const members = ['totalAmount', ...(totalOnly ? [] : Object.keys(amounts))];
  return {
    [name('Amounts')]: object(Object.fromEntries(members.map((member) => [member, dollars]))),
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

export const billingSchemas: Schemas = {
  BillingTimeRange: object({ startTime: time, endTime: time }),
  BillingBucketSize: { ...text, enum: ['hour', 'day', 'week', 'month', 'year'], default: 'day' },
  BillingQuery: extended('BillingTimeRange', object({ bucketSize: ref('BillingBucketSize') })),
  ...Object.fromEntries(Object.values<Report>(REPORTS).flatMap((report) => Object.entries(reportSchemas(report)))),
};
