import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import { createPart, createRecordTable } from '../state/state.ts';

/** A cluster; its members are the pods whose record names it. */
export interface ClusterRecord {
  id: string;
  name: string;
  type: 'APPLICATION' | 'TRAINING' | 'SLURM' | 'RAY';
  compute: { gpuTypeId: string; gpuCountPerPod: number; podCount: number };
  dataCenterId: string;
  network: number;
  createdAt: EpochMs;
  template?: string;
}

export const clusters = createRecordTable<ClusterRecord>('clusters');

/** User name and password are not stored: they are write-only, and nothing uses them here. */
export interface RegistryRecord {
  id: string;
  name: string;
}

export const registries = createRecordTable<RegistryRecord>('registries', () => [
  { id: 'reg-team', name: 'team registry' },
]);

/** A public key whose private half does not exist. */
export const SEED_SSH_KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBerthLocalServiceSeededKeyForNobodyAtAll00 someone@example.com';

export const sshKeys = createPart<readonly string[]>('sshKeys', () => [SEED_SSH_KEY]);

/** With full days or hours, an age would show one unit less when Date is a second earlier. */
export const SEED_OFFSET_MS: Milliseconds = 1_200_000;
