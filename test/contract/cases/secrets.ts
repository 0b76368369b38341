import type { Case } from './case.ts';

const secret = { name: 'hf-token', value: 'a value' };
/** The first id that a new account assigns. */
const SECRET = '/v2/account/secrets/sec-000001';

/** Creates a secret before the case. */
const withSecret = { before: 'POST /v2/account/secrets', beforeBody: secret };

/** Requests for secrets. */
export const SECRET_CASES: readonly Case[] = [
  { id: 'listSecrets', ...withSecret, request: 'GET /v2/account/secrets', status: 200 },
  { id: 'listSecrets', ...withSecret, request: 'GET /v2/account/secrets?name=HF-TOKEN', status: 200 },
  { id: 'createSecret', request: 'POST /v2/account/secrets', body: { ...secret, description: 'd' }, status: 201 },
  { id: 'createSecret', request: 'POST /v2/account/secrets', body: { ...secret, name: 'Berth_x' }, status: 400 },
  { id: 'createSecret', ...withSecret, request: 'POST /v2/account/secrets', body: secret, status: 409 },
  { id: 'createSecret', request: 'POST /v2/account/secrets', body: { ...secret, x: 1 }, status: 422 },
  { id: 'createSecret', request: 'POST /v2/account/secrets', body: { ...secret, name: '1' }, status: 422 },
  { id: 'getSecret', ...withSecret, request: `GET ${SECRET}`, status: 200 },
  { id: 'getSecret', request: 'GET /v2/account/secrets/none', status: 404 },
  { id: 'updateSecret', ...withSecret, request: `PATCH ${SECRET}`, body: { value: 'v', description: '' }, status: 200 },
  { id: 'updateSecret', ...withSecret, request: `PATCH ${SECRET}`, body: '', status: 400 },
  { id: 'updateSecret', request: 'PATCH /v2/account/secrets/none', body: { value: 'v' }, status: 404 },
  { id: 'updateSecret', ...withSecret, request: `PATCH ${SECRET}`, body: {}, status: 422 },
  { id: 'updateSecret', ...withSecret, request: `PATCH ${SECRET}`, body: { name: 'other' }, status: 422 },
  { id: 'deleteSecret', ...withSecret, request: `DELETE ${SECRET}`, status: 204 },
  { id: 'deleteSecret', request: 'DELETE /v2/account/secrets/none', status: 404 },
];
