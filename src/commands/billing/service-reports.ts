import type { Collection } from '../../cli/model/collection.ts';
import * as collections from '../../cli/resource/collections.ts';

export interface Report {
  /** The contract's schema of the whole document. */
  readonly schema: string;
  readonly path: readonly string[];
  /** Besides `totalAmount`, in US dollars: member name to label. */
  readonly amounts: Readonly<Record<string, string>>;
  /** Always 0 (additions 10): only in data. */
  readonly fee?: string;
  readonly of?: {
    /** Also the query parameter. */
    readonly member: string;
    /** The metadata's member with the number of resources. */
    readonly count: string;
    readonly lookup: Collection;
  };
}

const BILLING = ['v2', 'billing'];
const gpu = { gpuAmount: 'GPU' };
const cpu = { cpuAmount: 'CPU' };
const disk = { diskAmount: 'disk' };

export const SUMMARY: Report = {
  schema: 'ListBillingResponse',
  path: BILLING,
  amounts: {
    podGpuAmount: 'pod GPU',
    podCpuAmount: 'pod CPU',
    podDiskAmount: 'pod disk',
    serverlessGpuAmount: 'serverless GPU',
    serverlessCpuAmount: 'serverless CPU',
    serverlessDiskAmount: 'serverless disk',
    storageStandardAmount: 'standard storage',
    storageHighPerformanceAmount: 'high-performance storage',
    endpointAmount: 'public endpoints',
    clusterGpuAmount: 'cluster GPU',
    clusterDiskAmount: 'cluster disk',
    clusterNetworkingAmount: 'cluster networking',
  },
  fee: 'serverlessFeeAmount',
};

export const BY_KIND = {
  pod: {
    schema: 'ListPodBillingResponse',
    path: [...BILLING, 'pods'],
    amounts: { ...gpu, ...cpu, ...disk },
    of: { member: 'podId', count: 'uniquePodCount', lookup: collections.PODS },
  },
  endpoint: {
    schema: 'ListServerlessBillingResponse',
    path: [...BILLING, 'serverless'],
    amounts: { ...gpu, ...cpu, ...disk },
    fee: 'feeAmount',
    of: { member: 'serverlessId', count: 'uniqueServerlessCount', lookup: collections.ENDPOINTS },
  },
  volume: {
    schema: 'ListNetworkVolumeBillingResponse',
    path: [...BILLING, 'network-volumes'],
    amounts: { standardAmount: 'standard', highPerformanceAmount: 'high-performance' },
    of: { member: 'networkVolumeId', count: 'uniqueNetworkVolumeCount', lookup: collections.VOLUMES },
  },
  cluster: {
    schema: 'ListClusterBillingResponse',
    path: [...BILLING, 'clusters'],
    amounts: { ...gpu, ...disk, networkingAmount: 'networking' },
    of: { member: 'clusterId', count: 'uniqueClusterCount', lookup: collections.CLUSTERS },
  },
  'public-endpoint': { schema: 'ListEndpointBillingResponse', path: [...BILLING, 'endpoints'], amounts: {} },
} as const satisfies Readonly<Record<string, Report>>;

export type Kind = keyof typeof BY_KIND;

export const KINDS = Object.keys(BY_KIND) as readonly Kind[];
