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
