import { createPart } from '../state/record-table.ts';

/** A public key whose private half does not exist. */
export const SEED_SSH_KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBerthLocalServiceSeededKeyForNobodyAtAll00 someone@example.com';

/** The account's public SSH keys. */
export const sshKeys = createPart<readonly string[]>('sshKeys', () => [SEED_SSH_KEY]);
