import type { Collection } from '../../cli/model/collection.ts';
import * as collections from '../../cli/resource/collections.ts';
import { berth, type Message, sentence } from '../../core/message.ts';

export interface Report {
  readonly summary: string;
  /** The contract's schema of the complete document. */
  readonly schema: string;
  readonly path: readonly string[];
  /** Besides `totalAmount`, in US dollars: member name to label. */
  readonly amounts: Readonly<Record<string, string>>;
  /** Always 0 (additions 10): only in data. */
  readonly fee?: string;
  /** Said after the totals: what is missing, and the command that has it. */
  readonly others?: Message;
  readonly wide?: boolean;
  readonly of?: {
    /** The query parameter has the same name. */
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
  summary: 'show what everything cost, bucket by bucket',
  schema: 'ListBillingResponse',
  path: BILLING,
  wide: true,
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

export const PODS: Report = {
  summary: 'show what each pod cost',
  schema: 'ListPodBillingResponse',
  path: [...BILLING, 'pods'],
  amounts: { ...gpu, ...cpu, ...disk },
  of: { member: 'podId', count: 'uniquePodCount', lookup: collections.PODS },
};

export const SERVERLESS: Report = {
  summary: 'show what each serverless endpoint cost',
  schema: 'ListServerlessBillingResponse',
  path: [...BILLING, 'serverless'],
  amounts: { ...gpu, ...cpu, ...disk },
  fee: 'feeAmount',
  of: { member: 'serverlessId', count: 'uniqueServerlessCount', lookup: collections.ENDPOINTS },
};

export const ENDPOINTS: Report = {
  summary: 'show what the use of public model endpoints cost',
  schema: 'ListEndpointBillingResponse',
  path: [...BILLING, 'endpoints'],
  amounts: {},
  others: sentence`This is of public model endpoints. What your own endpoints cost: ${berth`billing serverless`}`,
};

export const VOLUMES: Report = {
  summary: 'show what each network volume cost',
  schema: 'ListNetworkVolumeBillingResponse',
  path: [...BILLING, 'network-volumes'],
  amounts: { standardAmount: 'standard', highPerformanceAmount: 'high-performance' },
  of: { member: 'networkVolumeId', count: 'uniqueNetworkVolumeCount', lookup: collections.VOLUMES },
};

export const CLUSTERS: Report = {
  summary: 'show what each cluster cost',
  schema: 'ListClusterBillingResponse',
  path: [...BILLING, 'clusters'],
  amounts: { ...gpu, ...disk, networkingAmount: 'networking' },
  of: { member: 'clusterId', count: 'uniqueClusterCount', lookup: collections.CLUSTERS },
};
