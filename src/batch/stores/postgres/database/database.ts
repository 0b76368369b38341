import { MINUTE_MS } from '../../../../core/durations.ts';
import type { StorePorts } from '../../../model/store.ts';
import type { Client, PoolClient, PoolConfig, QueryResultRow } from 'pg';
import { Failure } from '../../../../core/failure.ts';
import type { StoreAddress, StoreHost } from './store-address.ts';
import { failureOf, isStoreUnavailable } from './failures.ts';
import { EXIT } from '../../../../core/exit-codes.ts';
import type { Milliseconds } from '../../../../core/unit-types.ts';

/** Sends statements of SQL. Integers of 64 bits and numeric values are returned as numbers. */
export interface Queries {
  /**
   * Resolves to the rows of the answer. Fails with unavailable (7) and the code `store-unavailable` when the database
   * was not reached, did not answer in time or is temporarily unable to: the statement may or may not have been carried
   * out. Fails with denied (3) for a wrong password or missing rights, and with not-found (4) for a missing database.
   */
  query<R extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<readonly R[]>;
}

/**
 * A PostgreSQL database. Lost connections are replaced; nothing is sent twice. Each statement of `query` is a transaction of
 * its own. A transaction that was committed is on the disk of the server, whatever the server's default is, and it has
 * limits of time. Nothing is kept in the session, so that a connection pooler may give each transaction another one.
 */
export interface Database extends Queries {
  readonly shown: string;
  /** Sends a statement in one round trip in place of three. What it wrote may be lost when the server ends. */
  readonly autocommit: Queries;
  /** Runs `work` in one transaction and commits it. When `work` fails, the transaction is rolled back. Fails as `query` does. */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Certificates and keys as PEM. */
export interface Certificates {
  /** Of the authorities to trust, in place of those of Node. */
  readonly ca?: string | undefined;
  /** Of the client, and its key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface DatabaseOptions {
  readonly address: StoreAddress;
  readonly password: (host: StoreHost) => Promise<string>;
  readonly certificates?: Certificates | undefined;
  /** Maximum time of one statement. */
  readonly timeoutMs?: Milliseconds | undefined;
  readonly connections?: number;
}

/** What the store of a database uses: the parts of the Context, and the database. */
export interface SharedPorts extends StorePorts {
  readonly database: Database;
}

/** What reads the results of a shared batch. */
export type ReadPorts = Pick<SharedPorts, 'database' | 'storage' | 'signal'>;

const DEFAULT_TIMEOUT_MS = 20_000;
/** Maximum time of one attempt to connect. A server with many other clients may need seconds, however short a lease is. */
const CONNECT_TIMEOUT_MS = 20_000;
const DEFAULT_CONNECTIONS = 4;
const MILLISECONDS_UNTIL_IDLE_CLOSES = MINUTE_MS;

/** Types that are returned as numbers: int8, numeric. None of our numbers exceeds 2^53. */
const NUMBER_TYPES: readonly number[] = [20, 1700];

/** Opens a database. Connects at the first statement. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { address } = options;
  const { default: pg } = await import('pg');
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const types = new pg.TypeOverrides();
  for (const oid of NUMBER_TYPES) types.setTypeParser(oid, Number);
  const config: PoolConfig = {
    user: address.user,
    database: address.database,
    // The only parameters of a connection that every pooler accepts.
    application_name: 'berth',
    client_encoding: 'UTF8',
    keepAlive: true,
    max: options.connections ?? DEFAULT_CONNECTIONS,
    idleTimeoutMillis: MILLISECONDS_UNTIL_IDLE_CLOSES,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // The server may never answer: this limit is kept by the client.
    query_timeout: timeoutMs + 1000,
    types,
  };
  const pools = address.hosts.map((host) => {
    const { tls, ...place } = host;
    const ssl = tls === 'off' ? false : { rejectUnauthorized: tls === 'verified', ...options.certificates };
    const pool = new pg.Pool({ ...config, ...place, ssl, password: () => options.password(host) });
    // A connection that is lost while it is idle is replaced at its next use.
    pool.on('error', () => undefined);
    // A connection in use can be lost between two statements, when no statement reports it, and also together with the message
    // that makes it ready, before the code that asked for it runs.
    pool.on('connect', (client) => {
      client.on('error', () => undefined);
    });
    return pool;
  });
  const accepted = new WeakSet<PoolClient>();
  let current = 0;

  /** Connects to the first server that can be used, beginning with the one that was used last. */
  const connect = async (): Promise<PoolClient> => {
    let failure: unknown;
    for (let step = 0; step < pools.length; step++) {
      const at = (current + step) % pools.length;
      try {
        const client = await pools[at]?.connect();
        if (client === undefined) continue;
        if (!address.mustWrite || accepted.has(client) || (await acceptsWrites(client))) {
          accepted.add(client);
          current = at;
          return client;
        }
        client.release(true);
        failure ??= new Failure({
          code: 'store-unavailable',
          exit: EXIT.unavailable,
          message: `the database ${address.shown} has no server that accepts writes now`,
          hint: 'Try again later: another server may be taking over. See target_session_attrs.',
        });
      } catch (error) {
        const found = failureOf(address, error);
        // Only where a server cannot be reached or cannot answer, another one may.
        if (!isStoreUnavailable(found)) throw found;
        failure ??= found;
      }
    }
    throw failure;
  };

  const withClient = async <T>(work: (client: PoolClient) => Promise<T>): Promise<T> => {
    const client = await connect();
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      // It may be in a transaction, or wait for the answer to a statement that timed out.
      client.release(true);
      throw failureOf(address, error);
    }
  };
  const queriesOf = (client: Pick<Client, 'query'>): Queries => ({
    query: async <R extends QueryResultRow>(text: string, values: readonly unknown[] = []) =>
      (await client.query<R>(text, [...values])).rows,
  });
  const begin = beginTransaction(timeoutMs);
  const transaction: Database['transaction'] = (work) =>
    withClient(async (client) => {
      await client.query(begin);
      const result = await work(queriesOf(client));
      await client.query('COMMIT');
      return result;
    });
  return {
    shown: address.shown,
    query: (text, values) => transaction((queries) => queries.query(text, values)),
    autocommit: { query: (text, values) => withClient((client) => queriesOf(client).query(text, values)) },
    transaction,
    close: async () => {
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}

/**
 * The statements that begin a transaction, sent as one message. The settings end with the transaction. A driver that lost
 * its network must not hold locks for long. A stronger `synchronous_commit` than `on` stays.
 */
const beginTransaction = (timeoutMs: Milliseconds): string =>
  [
    'BEGIN',
    ...['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'].map(
      (name) => `SET LOCAL ${name} = ${Math.ceil(timeoutMs)}`,
    ),
    `SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') <> 'remote_apply'`,
  ].join('; ');

/** A standby and a server that is set to accept no writes have transactions that only read. Fails as the library does. */
async function acceptsWrites(client: PoolClient): Promise<boolean> {
  try {
    const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
    return rows[0]?.transaction_read_only === 'off';
  } catch (error) {
    client.release(true);
    throw error;
  }
}
