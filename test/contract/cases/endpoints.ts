import { image, type Case } from './case.ts';

const scaling = { type: 'QUEUE_DELAY', queueDelay: 4 };
const pools = ['POOL-24G'];

/** Puts a build to the endpoint echo before the case. */
const withBuild = {
  before: 'POST /local/builds/echo',
  beforeBody: { id: 'build-1', status: 'FAILED', branch: 'main' },
};

/** Requests for endpoints, their workers and their releases. */
export const ENDPOINT_CASES: readonly Case[] = [
  { id: 'listEndpoints', request: 'GET /v2/serverless', status: 200 },
  { id: 'listEndpoints', request: 'GET /v2/serverless?limit=0', status: 422 },
  {
    id: 'createEndpoint',
    request: 'POST /v2/serverless',
    body: { name: 'e', type: 'QUEUE', image, scaling, gpu: { pools, minCudaVersion: '12.4' } },
    status: 201,
  },
  {
    id: 'createEndpoint',
    request: 'POST /v2/serverless',
    body: {
      name: 'e',
      type: 'LOAD_BALANCER',
      image,
      scaling: { type: 'REQUEST_COUNT', requestCount: 4 },
      cpu: [{ id: 'cpu-compute', vcpuCount: 2 }],
    },
    status: 201,
  },
  {
    id: 'createEndpoint',
    request: 'POST /v2/serverless',
    body: { name: 'e', type: 'QUEUE', image, scaling: { type: 'REQUEST_COUNT', requestCount: 4 }, gpu: { pools } },
    status: 201,
  },
  {
    id: 'createEndpoint',
    request: 'POST /v2/serverless',
    body: { name: 'e', type: 'QUEUE', image, scaling },
    status: 400,
  },
  {
    id: 'createEndpoint',
    request: 'POST /v2/serverless',
    body: {
      name: 'e',
      type: 'QUEUE',
      image,
      scaling: { type: 'REQUEST_COUNT', requestCount: 4 },
      gpu: { pools },
      workers: { idleTimeout: 5 },
    },
    status: 400,
  },
  {
    id: 'createEndpoint',
    request: 'POST /v2/serverless',
    body: { name: 'e', type: 'QUEUE', image, scaling, gpu: { pools }, networkVolumes: ['none'] },
    status: 404,
  },
  {
    id: 'createEndpoint',
    request: 'POST /v2/serverless',
    body: { name: 'e', type: 'LOAD_BALANCER', image, scaling, gpu: { pools } },
    status: 422,
  },
  { id: 'getEndpoint', request: 'GET /v2/serverless/echo', status: 200 },
  { id: 'getEndpoint', request: 'GET /v2/serverless/none', status: 404 },
  {
    id: 'createEndpoint',
    request: 'POST /v2/serverless',
    body: { name: 'e', type: 'QUEUE', templateId: 'tpl-worker', scaling, gpu: { pools } },
    status: 201,
  },
  {
    id: 'updateEndpoint',
    request: 'PATCH /v2/serverless/echo',
    body: {
      name: 'x',
      image,
      env: { A: 'b' },
      workers: { min: 1 },
      scaling: { type: 'REQUEST_COUNT', requestCount: 2 },
    },
    status: 200,
  },
  { id: 'updateEndpoint', request: 'PATCH /v2/serverless/echo', body: {}, status: 200 },
  { id: 'updateEndpoint', request: 'PATCH /v2/serverless/echo', body: { gpu: { pools } }, status: 400 },
  { id: 'updateEndpoint', request: 'PATCH /v2/serverless/echo', body: { templateId: 'none' }, status: 404 },
  { id: 'updateEndpoint', request: 'PATCH /v2/serverless/none', body: {}, status: 404 },
  { id: 'updateEndpoint', request: 'PATCH /v2/serverless/demo-text-model', body: {}, status: 404 },
  { id: 'updateEndpoint', request: 'PATCH /v2/serverless/echo', body: { type: 'QUEUE' }, status: 422 },
  { id: 'listEndpointWorkers', request: 'GET /v2/serverless/echo/workers', status: 200 },
  {
    id: 'listEndpointWorkers',
    before: 'POST /v2/echo/run',
    request: 'GET /v2/serverless/echo/workers',
    status: 200,
  },
  { id: 'listEndpointWorkers', request: 'GET /v2/serverless/none/workers', status: 404 },
  { id: 'listEndpointReleases', request: 'GET /v2/serverless/echo/releases', status: 200 },
  { id: 'listEndpointReleases', request: 'GET /v2/serverless/none/releases', status: 404 },
  { id: 'listEndpointReleases', request: 'GET /v2/serverless/echo/releases?cursor=x', status: 422 },
  { id: 'listEndpointBuilds', ...withBuild, request: 'GET /v2/serverless/echo/builds', status: 200 },
  { id: 'listEndpointBuilds', request: 'GET /v2/serverless/none/builds', status: 404 },
  { id: 'listEndpointBuilds', request: 'GET /v2/serverless/echo/builds?limit=101', status: 422 },
  { id: 'getEndpointBuild', ...withBuild, request: 'GET /v2/serverless/echo/builds/build-1', status: 200 },
  { id: 'getEndpointBuild', ...withBuild, request: 'GET /v2/serverless/demo/builds/build-1', status: 404 },
  {
    id: 'getWorkerLogs',
    before: 'POST /v2/echo/run',
    request: 'GET /v2/serverless/echo/workers/w0000002/logs?tail=5',
    status: 200,
  },
  { id: 'getWorkerLogs', request: 'GET /v2/serverless/echo/workers/none/logs', status: 404 },
  { id: 'getWorkerLogs', request: 'GET /v2/serverless/echo/workers/constructor/logs', status: 404 },
  {
    id: 'getWorkerLogs',
    before: 'POST /v2/echo/run',
    request: 'GET /v2/serverless/demo/workers/w0000002/logs',
    status: 404,
  },
  { id: 'getWorkerLogs', request: 'GET /v2/serverless/none/workers/w0000002/logs', status: 404 },
  { id: 'getWorkerLogs', request: 'GET /v2/serverless/echo/workers/none/logs?tail=5001', status: 422 },
  { id: 'deleteEndpoint', request: 'DELETE /v2/serverless/sleep', status: 204 },
  { id: 'deleteEndpoint', request: 'DELETE /v2/serverless/none', status: 404 },
];
