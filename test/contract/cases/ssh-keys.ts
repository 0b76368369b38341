import type { Case } from './case.ts';

const key = 'ssh-ed25519 AAAAC3Nza me@example.com';

/** Requests for the SSH keys of the account. */
export const SSH_KEY_CASES: readonly Case[] = [
  { id: 'getSshKeys', request: 'GET /v2/account/ssh-keys', status: 200 },
  { id: 'updateSshKeys', request: 'PUT /v2/account/ssh-keys', body: { keys: [key] }, status: 200 },
  { id: 'updateSshKeys', request: 'PUT /v2/account/ssh-keys', body: { keys: [] }, status: 200 },
  { id: 'updateSshKeys', request: 'PUT /v2/account/ssh-keys', body: { keys: ['not a key'] }, status: 422 },
  { id: 'updateSshKeys', request: 'PUT /v2/account/ssh-keys', body: {}, status: 422 },
];
