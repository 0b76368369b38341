/** The list of each kind of resource: to resolve names to ids, and to pick from. */
import type { Lookup } from '../../cli/resource/lookup.ts';

export const PODS: Lookup = { noun: 'pod', path: ['v2', 'pods'], member: 'pods' };
export const ENDPOINTS: Lookup = { noun: 'endpoint', path: ['v2', 'serverless'], member: 'endpoints' };
export const TEMPLATES: Lookup = { noun: 'template', path: ['v2', 'templates'], member: 'templates' };
export const VOLUMES: Lookup = { noun: 'volume', path: ['v2', 'network-volumes'], member: 'networkVolumes' };
export const REGISTRIES: Lookup = { noun: 'registry', path: ['v2', 'registries'], member: 'registries' };
export const CLUSTERS: Lookup = { noun: 'cluster', path: ['v2', 'clusters'], member: 'clusters' };
export const GPUS: Lookup = {
  noun: 'GPU type',
  path: ['v2', 'catalog', 'gpus'],
  member: 'gpus',
  listed: 'catalog gpus',
};
export const CPUS: Lookup = {
  noun: 'CPU flavor',
  path: ['v2', 'catalog', 'cpus'],
  member: 'cpus',
  listed: 'catalog cpus',
};
export const DATA_CENTERS: Lookup = {
  noun: 'data center',
  path: ['v2', 'catalog', 'datacenters'],
  member: 'dataCenters',
  listed: 'catalog datacenters',
};
