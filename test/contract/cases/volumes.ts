import type { Case } from './case.ts';

/** Requests for network volumes. */
export const VOLUME_CASES: readonly Case[] = [
  { id: 'listNetworkVolumes', request: 'GET /v2/network-volumes', status: 200 },
  { id: 'listNetworkVolumes', request: 'GET /v2/network-volumes?limit=0', status: 422 },
  {
    id: 'createNetworkVolume',
    request: 'POST /v2/network-volumes',
    body: { name: 'v', size: 4096, dataCenter: 'EU-NORTH-1', type: 'HIGH_PERFORMANCE' },
    status: 201,
  },
  {
    id: 'createNetworkVolume',
    request: 'POST /v2/network-volumes',
    body: { name: 'v', size: 10, dataCenter: 'ASIA-1' },
    status: 400,
  },
  { id: 'createNetworkVolume', request: 'POST /v2/network-volumes', body: { name: 'v', size: 9 }, status: 422 },
  { id: 'getNetworkVolume', request: 'GET /v2/network-volumes/vol-datasets', status: 200 },
  { id: 'getNetworkVolume', request: 'GET /v2/network-volumes/none', status: 404 },
  { id: 'updateNetworkVolume', request: 'PATCH /v2/network-volumes/vol-scratch', body: { size: 20 }, status: 200 },
  { id: 'updateNetworkVolume', request: 'PATCH /v2/network-volumes/vol-datasets', body: { size: 20 }, status: 400 },
  { id: 'updateNetworkVolume', request: 'PATCH /v2/network-volumes/none', body: { size: 20 }, status: 404 },
  { id: 'updateNetworkVolume', request: 'PATCH /v2/network-volumes/vol-scratch', body: {}, status: 422 },
  {
    id: 'updateNetworkVolume',
    request: 'PATCH /v2/network-volumes/vol-scratch',
    body: { dataCenter: 'x' },
    status: 422,
  },
  { id: 'deleteNetworkVolume', request: 'DELETE /v2/network-volumes/vol-scratch', status: 204 },
  { id: 'deleteNetworkVolume', request: 'DELETE /v2/network-volumes/none', status: 404 },
];
