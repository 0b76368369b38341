export interface PostgresPrograms {
  readonly folder: string;
  readonly version: number;
}

export interface ClusterOptions {
  /** True to sync to disk, for measurements. Without it a cluster survives SIGKILL, but not the end of the machine. */
  readonly durable?: boolean;
  /** A certificate and its key as PEM: the server then accepts TLS. */
  readonly tls?: { readonly certificate: string; readonly key: string };
  /** Lines for postgresql.conf. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** A folder of which the cluster is a copy, and that the first cluster makes. */
  readonly template?: string;
}

export interface Cluster {
  readonly version: number;
  /** The folder of the cluster and of its socket. */
  readonly folder: string;
  /** The password of the user `postgres`, for connections over TCP. */
  readonly password: string;
  readonly port: number;
  readonly pid: number;
  /** The address of a database over TCP. `port` replaces the port of the server, for a proxy. */
  readonly url: (database?: string, port?: number) => string;
  /** Runs SQL with psql over the socket. Returns what it prints: a line for each row, columns separated by `|`. */
  readonly query: (sql: string, database?: string) => Promise<string>;
  /** Creates an empty database and returns its name. */
  readonly createDatabase: () => Promise<string>;
  readonly start: () => Promise<void>;
  /** Ends the server as an administrator does: its connections are closed, nothing is lost. */
  readonly stop: () => Promise<void>;
  readonly restart: () => Promise<void>;
  /** Ends the server with SIGKILL. */
  readonly kill: () => Promise<void>;
  /**
   * Takes a base backup with pg_basebackup. Returns a function that restores it once: the server is stopped and started with
   * the state of the backup. Fails where the program is not installed.
   */
  readonly baseBackup: () => Promise<() => Promise<void>>;
  readonly log: () => string;
  /** Ends the server and removes all its files. */
  readonly remove: () => Promise<void>;
}

/** Returns the programs of PostgreSQL 15 or newer, or undefined when they are not installed. */
export function findPostgres(): PostgresPrograms | undefined;
/** Creates a cluster and starts it. */
export function createCluster(options?: ClusterOptions): Promise<Cluster>;
