import type { Case } from './case.ts';

const arn = 'arn:cloud:registry:eu-north-1:123456789012:repository/team/images:v1';

/** Requests for registries and their delegations. */
export const REGISTRY_CASES: readonly Case[] = [
  { id: 'listDelegations', request: 'GET /v2/registries/delegations', status: 200 },
  {
    id: 'createDelegation',
    request: 'POST /v2/registries/delegations',
    body: { resource: arn, name: 'd' },
    status: 201,
  },
  { id: 'createDelegation', request: 'POST /v2/registries/delegations', body: { resource: arn }, status: 201 },
  { id: 'createDelegation', request: 'POST /v2/registries/delegations', body: { resource: 'x' }, status: 400 },
  { id: 'createDelegation', request: 'POST /v2/registries/delegations', body: {}, status: 422 },
  { id: 'revokeDelegation', request: 'DELETE /v2/registries/delegations/dlg-images', status: 204 },
  { id: 'revokeDelegation', request: 'DELETE /v2/registries/delegations/none', status: 404 },
  { id: 'listRegistries', request: 'GET /v2/registries', status: 200 },
  {
    id: 'createRegistry',
    request: 'POST /v2/registries',
    body: { name: 'r', username: 'u', password: 'p' },
    status: 201,
  },
  { id: 'createRegistry', request: 'POST /v2/registries', body: '', status: 400 },
  { id: 'createRegistry', request: 'POST /v2/registries', body: { name: 'r' }, status: 422 },
  { id: 'getRegistry', request: 'GET /v2/registries/reg-team', status: 200 },
  { id: 'getRegistry', request: 'GET /v2/registries/none', status: 404 },
  {
    id: 'deleteRegistry',
    before: 'POST /v2/registries',
    beforeBody: { name: 'r', username: 'u', password: 'p' },
    request: 'DELETE /v2/registries/reg-000001',
    status: 204,
  },
  { id: 'deleteRegistry', request: 'DELETE /v2/registries/reg-team', status: 400 },
  { id: 'deleteRegistry', request: 'DELETE /v2/registries/none', status: 404 },
];
