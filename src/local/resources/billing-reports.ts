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
  /** Members of a record, and the amount in each; `totalAmount` is the sum of all. */
  readonly amounts: Readonly<Record<string, AmountName>>;
  /** When there is one record per resource: the member with its id, also the filter, and the member with their number. */
  readonly by?: { readonly id: string; readonly count: string };
  readonly totalOnly?: boolean;
}

export const REPORTS = {
  summary: { amounts: Object.fromEntries(AMOUNTS.map((name) => [name, name])) },
  pods: {
    amounts: { gpuAmount: 'podGpuAmount', cpuAmount: 'podCpuAmount', diskAmount: 'podDiskAmount' },
    by: { id: 'podId', count: 'uniquePodCount' },
  },
  serverless: {
    amounts: {
      gpuAmount: 'serverlessGpuAmount',
      cpuAmount: 'serverlessCpuAmount',
      diskAmount: 'serverlessDiskAmount',
      feeAmount: 'serverlessFeeAmount',
    },
    by: { id: 'serverlessId', count: 'uniqueServerlessCount' },
  },
  endpoints: { amounts: { endpointAmount: 'endpointAmount' }, totalOnly: true },
  volumes: {
    amounts: { standardAmount: 'storageStandardAmount', highPerformanceAmount: 'storageHighPerformanceAmount' },
    by: { id: 'networkVolumeId', count: 'uniqueNetworkVolumeCount' },
  },
  clusters: {
    amounts: {
      gpuAmount: 'clusterGpuAmount',
      diskAmount: 'clusterDiskAmount',
      networkingAmount: 'clusterNetworkingAmount',
    },
    by: { id: 'clusterId', count: 'uniqueClusterCount' },
  },
} as const satisfies Readonly<Record<string, Report>>;
