/** One report of the contract: its amounts as members of a record; `totalAmount` is the sum of all. */
export interface Report {
  readonly amounts: Readonly<Record<string, AmountName>>;
  /** When there is one record per resource: the member with its id, also the filter, and the member with their number. */
  readonly by?: { readonly id: string; readonly count: string };
  readonly totalOnly?: boolean;
}

const pods = { gpuAmount: 'podGpuAmount', cpuAmount: 'podCpuAmount', diskAmount: 'podDiskAmount' } as const;
const serverless = {
  gpuAmount: 'serverlessGpuAmount',
  cpuAmount: 'serverlessCpuAmount',
  diskAmount: 'serverlessDiskAmount',
  feeAmount: 'serverlessFeeAmount',
} as const;
const endpoints = { endpointAmount: 'endpointAmount' } as const;
const volumes = {
  standardAmount: 'storageStandardAmount',
  highPerformanceAmount: 'storageHighPerformanceAmount',
} as const;
const clusters = {
  gpuAmount: 'clusterGpuAmount',
  diskAmount: 'clusterDiskAmount',
  networkingAmount: 'clusterNetworkingAmount',
} as const;

type AmountsOf<T> = T[keyof T];
export type AmountName =
  | AmountsOf<typeof pods>
  | AmountsOf<typeof serverless>
  | AmountsOf<typeof endpoints>
  | AmountsOf<typeof volumes>
  | AmountsOf<typeof clusters>;

const all = [pods, serverless, volumes, endpoints, clusters].flatMap((each) => Object.values<AmountName>(each));

/** By the operations of the contract. */
export const REPORTS = {
  listBilling: { amounts: Object.fromEntries(all.map((name) => [name, name])) },
  listPodBilling: { amounts: pods, by: { id: 'podId', count: 'uniquePodCount' } },
  listServerlessBilling: { amounts: serverless, by: { id: 'serverlessId', count: 'uniqueServerlessCount' } },
  listEndpointBilling: { amounts: endpoints, totalOnly: true },
  listNetworkVolumeBilling: { amounts: volumes, by: { id: 'networkVolumeId', count: 'uniqueNetworkVolumeCount' } },
  listClusterBilling: { amounts: clusters, by: { id: 'clusterId', count: 'uniqueClusterCount' } },
} satisfies Readonly<Record<string, Report>>;
