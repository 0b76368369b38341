import type { Collection } from '../../cli/resource/identity/collection.ts';
import * as collections from '../shared/collections.ts';

/** One amount of a report, in US dollars. */
export interface Amount {
  /** The name of the member in a record and in the totals. */
  readonly member: string;
  /** Upper case in the table, lower case in the totals. */
  readonly name: string;
  /** A column of `-o wide`. */
  readonly wide?: boolean;
}

/** A billing report: its path and the members of its records. */
export interface Report {
  readonly summary: string;
  readonly path: readonly string[];
  /** The amounts beside `totalAmount`, which every report has. */
  readonly amounts: readonly Amount[];
  /** The resource of a record, where a record is about one. */
  readonly of?: {
    /** The member with its id; the query parameter has the same name. */
    readonly member: string;
    /** The member of the metadata with the number of resources. */
    readonly count: string;
    readonly lookup: Collection;
  };
}

const BILLING = ['v2', 'billing'];
const gpu: Amount = { member: 'gpuAmount', name: 'GPU' };
const cpu: Amount = { member: 'cpuAmount', name: 'CPU' };
const disk: Amount = { member: 'diskAmount', name: 'disk' };

/** The cost of everything, by its parts. */
export const SUMMARY: Report = {
  summary: 'show what everything cost, bucket by bucket',
  path: BILLING,
  amounts: [
    { member: 'podGpuAmount', name: 'pod GPU', wide: true },
    { member: 'podCpuAmount', name: 'pod CPU', wide: true },
    { member: 'podDiskAmount', name: 'pod disk', wide: true },
    { member: 'serverlessGpuAmount', name: 'serverless GPU', wide: true },
    { member: 'serverlessCpuAmount', name: 'serverless CPU', wide: true },
    { member: 'serverlessDiskAmount', name: 'serverless disk', wide: true },
    { member: 'serverlessFeeAmount', name: 'serverless fee', wide: true },
    { member: 'storageStandardAmount', name: 'standard storage', wide: true },
    { member: 'storageHighPerformanceAmount', name: 'high-performance storage', wide: true },
    { member: 'endpointAmount', name: 'public endpoints', wide: true },
    { member: 'clusterGpuAmount', name: 'cluster GPU', wide: true },
    { member: 'clusterDiskAmount', name: 'cluster disk', wide: true },
    { member: 'clusterNetworkingAmount', name: 'cluster networking', wide: true },
  ],
};

export const PODS: Report = {
  summary: 'show what each pod cost',
  path: [...BILLING, 'pods'],
  amounts: [gpu, cpu, disk],
  of: {
    member: 'podId',
    count: 'uniquePodCount',
    lookup: collections.PODS,
  },
};

export const SERVERLESS: Report = {
  summary: 'show what each serverless endpoint cost',
  path: [...BILLING, 'serverless'],
  amounts: [gpu, cpu, disk, { member: 'feeAmount', name: 'fee' }],
  of: {
    member: 'serverlessId',
    count: 'uniqueServerlessCount',
    lookup: collections.ENDPOINTS,
  },
};

export const ENDPOINTS: Report = {
  summary: 'show what the use of public model endpoints cost',
  path: [...BILLING, 'endpoints'],
  amounts: [],
};

export const VOLUMES: Report = {
  summary: 'show what each network volume cost',
  path: [...BILLING, 'network-volumes'],
  amounts: [
    { member: 'standardAmount', name: 'standard' },
    { member: 'highPerformanceAmount', name: 'high-performance' },
  ],
  of: {
    member: 'networkVolumeId',
    count: 'uniqueNetworkVolumeCount',
    lookup: collections.VOLUMES,
  },
};

export const CLUSTERS: Report = {
  summary: 'show what each cluster cost',
  path: [...BILLING, 'clusters'],
  amounts: [gpu, disk, { member: 'networkingAmount', name: 'networking' }],
  of: {
    member: 'clusterId',
    count: 'uniqueClusterCount',
    lookup: collections.CLUSTERS,
  },
};
