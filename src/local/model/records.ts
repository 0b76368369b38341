import { DAY_MS, type EpochMs, type Milliseconds } from '../../core/unit-types.ts';
import { createPart, createRecordTable, type Records, recordsFrom, type State } from '../state/state.ts';

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
export type RegistryRecord = Record<'id' | 'name', string>;

export const registries = createRecordTable<RegistryRecord>('registries', () => [
  { id: 'reg-team', name: 'team registry' },
]);

/** A public key whose private half does not exist. */
export const SEED_SSH_KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBerthLocalServiceSeededKeyForNobodyAtAll00 someone@example.com';

export const sshKeys = createPart<readonly string[]>('sshKeys', () => [SEED_SSH_KEY]);

/** With full days or hours, an age would show one unit less when Date is a second earlier. */
export const SEED_OFFSET_MS: Milliseconds = 1_200_000;

/** A secret without its value. */
export interface SecretRecord {
  id: string;
  name: string;
  description: string | null;
  createdAt: EpochMs;
  /** Null until the value is changed. */
  valueChangedAt: EpochMs | null;
}

const SEEDED = 'sec-api-token';

export const secrets = createRecordTable<SecretRecord>('secrets', (since) => [
  {
    id: SEEDED,
    name: 'api-token',
    description: 'for the model registry',
    createdAt: since - 30 * DAY_MS,
    valueChangedAt: null,
  },
]);

/** The values by the ids of their secrets: apart from the records, so that no document of a secret can have one. */
const values = createPart<Records<string>>('secretValues', () => recordsFrom([[SEEDED, 'value-of-a-local-secret']]));

export const setSecretValue = (state: State, { id }: SecretRecord, value: string): void => {
  values.of(state)[id] = value;
};

export function removeSecret(state: State, { id }: SecretRecord): void {
  Reflect.deleteProperty(values.of(state), id);
  secrets.remove(state, id);
}

/** Ignores case: no two names differ in case only. */
export const secretNamed = (state: State, name: string): SecretRecord | undefined =>
  secrets.all(state).find((secret) => secret.name.toLowerCase() === name.toLowerCase());

/** Replaces `{{ PREFIX_SECRET_name }}` only as a complete value written exactly so (additions 7). */
export function bootEnvironment(state: State, prefix: string, env: Readonly<Record<string, string>>) {
  const [begin, end] = [`{{ ${prefix}_SECRET_`, ' }}'];
  const fromSecrets: string[] = [];
  /** Variables whose placeholder names no secret: they keep its text. */
  const unresolved: string[] = [];
  const resolve = (variable: string, text: string): string => {
    if (!text.startsWith(begin) || !text.endsWith(end)) return text;
    const name = text.slice(begin.length, -end.length);
    const secret = secrets.all(state).find((each) => each.name === name);
    (secret === undefined ? unresolved : fromSecrets).push(variable);
    return secret === undefined ? text : (values.of(state)[secret.id] ?? text);
  };
  const variables: Readonly<Record<string, string>> = Object.fromEntries(
    Object.entries(env).map(([name, text]) => [name, resolve(name, text)]),
  );
  return { variables, fromSecrets, unresolved };
}

export interface VolumeRecord {
  id: string;
  name: string;
  /** GB. */
  size: number;
  dataCenter: string;
  type: 'STANDARD' | 'HIGH_PERFORMANCE';
  createdAt: EpochMs;
}

/** The sizes a volume has had, for billing. It is kept after the volume is deleted; the last size is then 0. */
export interface StorageRecord {
  type: VolumeRecord['type'];
  /** Sizes in GB, each from `at` on. */
  sizes: { at: number; size: number }[];
}

const seedVolumes = (since: number): readonly VolumeRecord[] => {
  const volume = (name: string, size: number, dataCenter: string, type: VolumeRecord['type'], days: number) => ({
    id: `vol-${name}`,
    name,
    size,
    dataCenter,
    type,
    createdAt: since - SEED_OFFSET_MS - days * DAY_MS,
  });
  return [
    volume('datasets', 2048, 'EU-NORTH-1', 'HIGH_PERFORMANCE', 60),
    volume('checkpoints', 500, 'US-EAST-1', 'STANDARD', 40),
    volume('scratch', 10, 'EU-WEST-1', 'STANDARD', 1),
  ];
};

export const volumes = createRecordTable<VolumeRecord>('volumes', seedVolumes);

/** By volume id, deleted volumes included. */
export const storage = createPart<Records<StorageRecord>>('storage', (since) =>
  recordsFrom(
    seedVolumes(since).map(({ id, type, size, createdAt }) => [id, { type, sizes: [{ at: createdAt, size }] }]),
  ),
);
