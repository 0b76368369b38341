import type { Case } from './case.ts';

const AVAILABLE = 'include=AVAILABILITY&product=POD';

/** Requests for the catalog. */
export const CATALOG_CASES: readonly Case[] = [
  { id: 'listGpuTypes', request: 'GET /v2/catalog/gpus', status: 200 },
  { id: 'listGpuTypes', request: `GET /v2/catalog/gpus?${AVAILABLE}&count=2&countryCodes=SE,US`, status: 200 },
  { id: 'listGpuTypes', request: 'GET /v2/catalog/gpus?product=POD', status: 400 },
  { id: 'getGpuType', request: `GET /v2/catalog/gpus/GPU-80G?${AVAILABLE}&minCudaVersion=12.10`, status: 200 },
  { id: 'getGpuType', request: 'GET /v2/catalog/gpus/none', status: 404 },
  { id: 'listCpuTypes', request: `GET /v2/catalog/cpus?${AVAILABLE}`, status: 200 },
  { id: 'getCpuType', request: 'GET /v2/catalog/cpus/cpu-general', status: 200 },
  { id: 'getCpuType', request: 'GET /v2/catalog/cpus/none', status: 404 },
  {
    id: 'listDataCenters',
    request: 'GET /v2/catalog/datacenters?include=GPU_AVAILABILITY,CPU_AVAILABILITY',
    status: 200,
  },
  { id: 'getDataCenter', request: 'GET /v2/catalog/datacenters/EU-WEST-1', status: 200 },
  { id: 'getDataCenter', request: 'GET /v2/catalog/datacenters/none', status: 404 },
];
