/** The list of each kind of resource: to resolve names to ids, and to pick from. */
import type { Collection } from '../../cli/resource/identity/collection.ts';

export const PODS: Collection<'pod'> = {
  noun: 'pod',
  path: ['v2', 'pods'],
  member: 'pods',
  // The plain list leaves out the pods of clusters, which have names too (contract rules, Pods).
  lookupQuery: { includeClusterPods: 'true' },
};
export const ENDPOINTS: Collection<'endpoint'> = { noun: 'endpoint', path: ['v2', 'serverless'], member: 'endpoints' };
export const TEMPLATES: Collection<'template'> = { noun: 'template', path: ['v2', 'templates'], member: 'templates' };
export const VOLUMES: Collection<'volume'> = {
  noun: 'volume',
  path: ['v2', 'network-volumes'],
  member: 'networkVolumes',
};
export const REGISTRIES: Collection<'registry'> = {
  noun: 'registry',
  path: ['v2', 'registries'],
  member: 'registries',
};
export const CLUSTERS: Collection<'cluster'> = { noun: 'cluster', path: ['v2', 'clusters'], member: 'clusters' };
export const GPUS: Collection<'GPU type'> = {
  noun: 'GPU type',
  path: ['v2', 'catalog', 'gpus'],
  member: 'gpus',
  listed: 'catalog gpus',
};
export const CPUS: Collection<'CPU flavor'> = {
  noun: 'CPU flavor',
  path: ['v2', 'catalog', 'cpus'],
  member: 'cpus',
  listed: 'catalog cpus',
};
export const DATA_CENTERS: Collection<'data center'> = {
  noun: 'data center',
  path: ['v2', 'catalog', 'datacenters'],
  member: 'dataCenters',
  listed: 'catalog datacenters',
};
