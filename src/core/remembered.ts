import type { EpochMs, Milliseconds } from './unit-types.ts';

export interface ListRow {
  readonly value: string;
  readonly name: string;
  readonly description: string;
}

/** Lists of the service as they were last read with the address and the key in use, for the completion in shells. */
export interface RememberedLists {
  /** Undefined where it was never read, or without a key. Fresh: read within the last minute, and nothing was changed since. */
  read(list: string): Promise<{ readonly rows: readonly ListRow[]; readonly isFresh: boolean } | undefined>;
  write(list: string, rows: readonly ListRow[]): Promise<void>;
  expire(): Promise<void>;
  forget(): Promise<void>;
}

export interface RememberedJob {
  readonly id: string;
  readonly endpoint: string;
  readonly named: string;
  readonly at: EpochMs;
  /** For how long after that the service certainly has it. */
  readonly certainMs?: Milliseconds;
  readonly executionTimeoutMs?: Milliseconds | undefined;
  readonly ttlMs?: Milliseconds | undefined;
  /** The status in which this machine saw it last, and when by the clock of the service. */
  readonly status?: string;
  readonly statusAt?: EpochMs;
  /** When the service said, after that, that it has no such job any more. */
  readonly goneAt?: EpochMs | undefined;
}

/** The jobs that this machine submitted last with the profile in use. Errors of the file are ignored. */
export interface RememberedJobs {
  read(): Promise<readonly RememberedJob[]>;
  add(job: Omit<RememberedJob, 'statusAt' | 'goneAt'>): Promise<void>;
  saw(id: string, status: string, at: EpochMs): Promise<void>;
  sawGone(id: string, at: EpochMs): Promise<void>;
  forget(): Promise<void>;
}

export type PlainObject = Readonly<Record<string, unknown>>;

export interface AccountDocument {
  read(): Promise<PlainObject>;
  write(document: PlainObject): Promise<void>;
}
