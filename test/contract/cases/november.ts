import type { Case } from './case.ts';

const before = 'POST /v2/tags';
const beforeBody = { key: 'team', value: 'a' };
/** The first id that a new account gives. */
const tag = '/v2/tags/tag-000001';
const volume = '/v2/global-volumes/gsb-000001';
const withVolume = { before: 'POST /v2/global-volumes', beforeBody: { name: 'data' } };

/** Requests for what the service added in November. */
export const NOVEMBER_CASES: readonly Case[] = [
  { id: 'getAccount', request: 'GET /v2/account', status: 200 },
  { id: 'getAccountLimits', request: 'GET /v2/account/limits', status: 200 },
  { id: 'getAccountBalance', request: 'GET /v2/billing/balance', status: 200 },
  { id: 'listGlobalVolumes', ...withVolume, request: 'GET /v2/global-volumes', status: 200 },
  { id: 'listGlobalVolumes', request: 'GET /v2/global-volumes?limit=0', status: 422 },
  { id: 'createGlobalVolume', request: 'POST /v2/global-volumes', body: { name: ' data ' }, status: 201 },
  { id: 'createGlobalVolume', request: 'POST /v2/global-volumes', status: 400 },
  { id: 'createGlobalVolume', request: 'POST /v2/global-volumes', body: { name: ' ' }, status: 422 },
  { id: 'getGlobalVolume', ...withVolume, request: `GET ${volume}`, status: 200 },
  { id: 'getGlobalVolume', request: `GET ${volume}`, status: 404 },
  { id: 'deleteGlobalVolume', ...withVolume, request: `DELETE ${volume}`, status: 204 },
  { id: 'deleteGlobalVolume', request: `DELETE ${volume}`, status: 404 },
  { id: 'listTags', before, beforeBody, request: 'GET /v2/tags', status: 200 },
  { id: 'listTags', request: 'GET /v2/tags?cursor=x', status: 422 },
  {
    id: 'createTag',
    request: 'POST /v2/tags',
    body: { key: 'team', value: '', resources: [{ type: 'POD', id: 'pod-web' }] },
    status: 201,
  },
  { id: 'createTag', request: 'POST /v2/tags', status: 400 },
  { id: 'createTag', request: 'POST /v2/tags', body: { key: 'BERTH:x', value: 'a' }, status: 422 },
  { id: 'getTag', before, beforeBody, request: `GET ${tag}`, status: 200 },
  { id: 'getTag', request: `GET ${tag}`, status: 404 },
  { id: 'updateTag', before, beforeBody, request: `PATCH ${tag}`, body: { value: 'b' }, status: 200 },
  { id: 'updateTag', request: `PATCH ${tag}`, status: 400 },
  { id: 'updateTag', request: `PATCH ${tag}`, body: { value: 'b' }, status: 404 },
  { id: 'updateTag', before, beforeBody, request: `PATCH ${tag}`, body: { id: 'x' }, status: 422 },
  { id: 'deleteTag', before, beforeBody, request: `DELETE ${tag}`, status: 204 },
  { id: 'deleteTag', request: `DELETE ${tag}`, status: 404 },
  ...(['PUT', 'DELETE'] as const).flatMap((method): readonly Case[] => {
    const id = method === 'PUT' ? 'attachTag' : 'removeTag';
    const request = `${method} ${tag}/resources`;
    return [
      { id, before, beforeBody, request: `${request}/NETWORK_VOLUME/vol-datasets`, status: 204 },
      { id, before, beforeBody, request: `${request}/POD/none`, status: 404 },
      { id, before, beforeBody, request: `${request}/SECRET/x`, status: 422 },
    ];
  }),
];
