import type { Client, PoolClient, PoolConfig, QueryResultRow } from 'pg';
import { EXIT } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import { safeText } from '../../../core/safe-text.ts';
import type { StoreAddress } from './address.ts';

/** Sends statements of SQL. Integers of 64 bits and numeric values are returned as numbers. */
export interface Queries {
  /**
   * Resolves to the rows of the answer. Fails with unavailable (7) and the code `store-unavailable` when the database
   * was not reached, did not answer in time or is temporarily unable to: the statement may or may not have been carried
   * out. Fails with denied (3) for a wrong password or missing rights, and with not-found (4) for a missing database.
   */
  query<R extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<readonly R[]>;
}

/** A PostgreSQL database. Lost connections are replaced; nothing is sent twice. */
export interface Database extends Queries {
  /** The address as it may be shown. */
  readonly shown: string;
  /** Runs `work` in one transaction and commits it. When `work` fails, the transaction is rolled back. Fails as `query` does. */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** Closes all connections. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly address: StoreAddress;
  /** Called when the server asks for a password. */
  readonly password: () => Promise<string>;
  /** Certificates of the authorities to trust, as PEM. */
  readonly rootCertificates?: string | undefined;
  /** Maximum time of one statement, in milliseconds. */
  readonly timeoutMs?: number;
  /** Maximum number of connections. */
  readonly connections?: number;
}

const DEFAULT_TIMEOUT_MS = 20_000;
/** Maximum time of one attempt to connect. A server with many other clients may need seconds, however short a lease is. */
const CONNECT_TIMEOUT_MS = 20_000;
const DEFAULT_CONNECTIONS = 4;
const MILLISECONDS_UNTIL_IDLE_CLOSES = 60_000;

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
    host: address.host,
    port: address.port,
    user: address.user,
    database: address.database,
    password: options.password,
    ssl: address.tls === 'off' ? false : tlsOptions(address, options.rootCertificates),
    application_name: 'berth',
    // A value in place of the variables of the environment that the library reads.
    options: '-c client_min_messages=warning',
    client_encoding: 'UTF8',
    keepAlive: true,
    max: options.connections ?? DEFAULT_CONNECTIONS,
    idleTimeoutMillis: MILLISECONDS_UNTIL_IDLE_CLOSES,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: timeoutMs,
    lock_timeout: timeoutMs,
    // A driver that lost its network must not hold locks for long.
    idle_in_transaction_session_timeout: timeoutMs,
    // The server may never answer: this limit is kept by the client.
    query_timeout: timeoutMs + 1000,
    types,
  };
  const pool = new pg.Pool(config);
  // A connection that is lost while it is idle is replaced at its next use.
  pool.on('error', () => undefined);
  // A connection in use can be lost between two statements, when no statement reports it, and also together with the message
  // that makes it ready, before the code that asked for it runs.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
  });

  const withClient = async <T>(work: (client: PoolClient) => Promise<T>): Promise<T> => {
    let client: PoolClient;
    try {
      client = await pool.connect();
    } catch (error) {
      throw failureOf(address, error);
    }
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
  return {
    shown: address.shown,
    query: (text, values) => withClient((client) => queriesOf(client).query(text, values)),
    transaction: (work) =>
      withClient(async (client) => {
        await client.query('BEGIN');
        const result = await work(queriesOf(client));
        await client.query('COMMIT');
        return result;
      }),
    close: () => pool.end(),
  };
}

const tlsOptions = ({ tls }: StoreAddress, rootCertificates: string | undefined): PoolConfig['ssl'] => ({
  rejectUnauthorized: tls === 'verified',
  ...(rootCertificates === undefined ? {} : { ca: rootCertificates }),
});

/** True when the database may answer later: see `Queries.query`. */
export const isStoreUnavailable = (error: unknown): error is Failure =>
  error instanceof Failure && error.code === 'store-unavailable';

/**
 * Classes and codes of errors after which the same transaction may succeed: connection exceptions, rollbacks by
 * conflicts, lack of resources, interventions such as a shutdown, a lock or a statement that took too long, and a server that
 * accepts no writes, as it is for a time when another one takes over.
 */
const TEMPORARY = /^(08...|40...|53...|57...|55P03|25P0[34]|25006)$/;

/** Returns the failure for an error of the database or of the connection to it. Other errors are returned unchanged. */
function failureOf(address: StoreAddress, error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const reason = safeText(error.message);
  const facts = (name: string, exit: 3 | 4 | 7, what: string, hint: string) =>
    new Failure({ code: name, exit, message: `the database ${address.shown} ${what}: ${reason}`, hint }, error);
  const isServerError = /^[\dA-Z]{5}$/.test(code) && 'severity' in error;
  if (!isServerError)
    return isConnectionError(error, code)
      ? facts(
          'store-unavailable',
          EXIT.unavailable,
          'cannot be reached',
          'Check the address, the network and the database.',
        )
      : error;
  if (TEMPORARY.test(code))
    return facts('store-unavailable', EXIT.unavailable, 'cannot answer now', 'Try again later.');
  if (code.startsWith('28'))
    return facts(
      'denied',
      EXIT.denied,
      'refused the connection',
      'Set the password in BERTH_STORE, PGPASSWORD or PGPASSFILE.',
    );
  if (code === '42501')
    return facts(
      'denied',
      EXIT.denied,
      'refused a statement',
      'The user needs the right to create a schema, or the rights on the schema berth.',
    );
  if (code === '3D000') return facts('not-found', EXIT.notFound, 'was not found', 'Create it: createdb NAME');
  return error;
}

/** The library reports a lost connection and a timeout by plain errors. Certificate errors are connection errors too. */
const isConnectionError = ({ message }: Error, code: string): boolean =>
  /^(E[A-Z_]+|CERT_[A-Z_]+|[A-Z_]*(CERT|SIGNATURE|ISSUER)[A-Z_]*)$/.test(code) ||
  /timeout|terminated|not queryable|Connection|does not support SSL|certificate/i.test(message);
