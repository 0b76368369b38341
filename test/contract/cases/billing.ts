import type { Case } from './case.ts';
import { withCluster } from './clusters.ts';

/** Requests for billing. */
export const BILLING_CASES: readonly Case[] = [
  { id: 'listBilling', request: 'GET /v2/billing', status: 200 },
  { id: 'listBilling', request: 'GET /v2/billing?lastN=3&bucketSize=month', status: 200 },
  { id: 'listBilling', request: 'GET /v2/billing?lastN=3&startTime=2025-01-01T00:00:00Z', status: 400 },
  {
    id: 'listBilling',
    request: 'GET /v2/billing?startTime=2026-02-01T00:00:00Z&endTime=2026-01-01T00:00:00Z',
    status: 400,
  },
  { id: 'listBilling', request: 'GET /v2/billing?lastN=0', status: 422 },
  { id: 'listBilling', request: 'GET /v2/billing?bucketSize=decade', status: 422 },
  { id: 'listPodBilling', request: 'GET /v2/billing/pods?podId=pod-train&bucketSize=hour', status: 200 },
  { id: 'listPodBilling', request: 'GET /v2/billing/pods?podId=none', status: 200 },
  { id: 'listServerlessBilling', before: 'POST /v2/echo/run', request: 'GET /v2/billing/serverless', status: 200 },
  { id: 'listEndpointBilling', request: 'GET /v2/billing/endpoints?bucketSize=week', status: 200 },
  { id: 'listNetworkVolumeBilling', request: 'GET /v2/billing/network-volumes?bucketSize=year', status: 200 },
  { id: 'listClusterBilling', ...withCluster, request: 'GET /v2/billing/clusters', status: 200 },
];
