import type { StorePorts } from '../../../model/store.ts';
import type { Client, PoolClient, PoolConfig, QueryResultRow } from 'pg';
import { Failure } from '../../../../core/failure.ts';
import type { StoreAddress } from './address.ts';
import { EXIT, type ExitCode } from '../../../../core/exit-codes.ts';
import { safeText } from '../../../../core/safe-text.ts';

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
  /** The address as it may be shown. */
  readonly shown: string;
  /** Sends a statement in one round trip in place of three. What it wrote may be lost when the server ends. */
  readonly autocommit: Queries;
  /** Runs `work` in one transaction and commits it. When `work` fails, the transaction is rolled back. Fails as `query` does. */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** Closes all connections. */
  close(): Promise<void>;
}

interface DatabaseOptions {
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
    close: () => pool.end(),
  };
}

/**
 * The statements that begin a transaction, sent as one message. The settings end with the transaction. A driver that lost
 * its network must not hold locks for long. A stronger `synchronous_commit` than `on` stays.
 */
const beginTransaction = (timeoutMs: number): string =>
  [
    'BEGIN',
    ...['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'].map(
      (name) => `SET LOCAL ${name} = ${String(Math.ceil(timeoutMs))}`,
    ),
    `SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') <> 'remote_apply'`,
  ].join('; ');

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
 * accepts no writes, as it is for a time when another one takes over. Not: a database that was dropped (57P04).
 */
const TEMPORARY = /^(08...|40...|53...|57...|55P03|25P0[34]|25006)$/;
const PERMANENT = /^57P04$/;

/** PgBouncer has one code for all its errors: a violation of the protocol. These of its messages are temporary. */
const POOLER_CODE = '08P01';
const POOLER_IS_BUSY =
  /timeout|server_login_retry|server_lifetime|server conn crashed|no more connections|cannot connect|shutting down|paused|is disabled|database system|terminating|no memory/i;
const POOLER_DENIES = /auth|no such user|password/i;

/** Errors that no other attempt changes, of the connection or of the library. */
const CERTIFICATE = /certificate|altnames|does not support SSL|self.signed/i;

/** Returns the failure for an error of the database or of the connection to it. Other errors are returned unchanged. */
export function failureOf({ shown }: StoreAddress, error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const isServerError = /^[\dA-Z]{5}$/.test(code) && 'severity' in error;
  const kind = isServerError ? kindOfServerError(code, error.message) : kindOfConnectionError(code, error.message);
  if (kind === undefined) return error;
  const { name, exit, what, hint } = KINDS[kind];
  return new Failure(
    { code: name, exit, message: `the database ${shown} ${what}: ${safeText(error.message)}`, hint },
    error,
  );
}

type Kind = keyof typeof KINDS;

const KINDS = {
  unreachable: {
    name: 'store-unavailable',
    exit: EXIT.unavailable,
    what: 'cannot be reached',
    hint: 'Check the address, the network and the database.',
  },
  busy: { name: 'store-unavailable', exit: EXIT.unavailable, what: 'cannot answer now', hint: 'Try again later.' },
  certificate: {
    name: 'store-certificate',
    exit: EXIT.unavailable,
    what: 'cannot be reached over TLS',
    hint: 'Check the certificate. For one of your own authority: sslrootcert=FILE in the address, or PGSSLROOTCERT.',
  },
  refused: {
    name: 'store-refused',
    exit: EXIT.refused,
    what: 'does not accept this connection',
    hint: 'Trying again does not help. Check the address, its sslmode, the settings of the pooler, and PGOPTIONS.',
  },
  login: {
    name: 'denied',
    exit: EXIT.denied,
    what: 'refused the connection',
    hint: 'Set the password in BERTH_STORE, PGPASSWORD or PGPASSFILE.',
  },
  rights: {
    name: 'denied',
    exit: EXIT.denied,
    what: 'refused a statement',
    hint: 'The user needs the right to create a schema, or the rights on the schema berth.',
  },
  noDatabase: {
    name: 'not-found',
    exit: EXIT.notFound,
    what: 'was not found',
    hint: 'Create it: createdb NAME',
  },
  noTables: {
    name: 'store-broken',
    exit: EXIT.localFile,
    what: 'has lost tables of its batches',
    hint: 'They were removed, or the database was restored to an earlier state. Nothing more was sent.',
  },
} as const satisfies Readonly<
  Record<string, { readonly name: string; readonly exit: ExitCode; readonly what: string; readonly hint: string }>
>;

function kindOfServerError(code: string, message: string): Kind | undefined {
  if (code === POOLER_CODE) {
    if (POOLER_IS_BUSY.test(message)) return 'busy';
    if (/no such database/i.test(message)) return 'noDatabase';
    return POOLER_DENIES.test(message) ? 'login' : CERTIFICATE.test(message) ? 'certificate' : 'refused';
  }
  if (TEMPORARY.test(code) && !PERMANENT.test(code)) return 'busy';
  if (code.startsWith('28')) return 'login';
  if (code === '42501') return 'rights';
  if (code === '3D000' || code === '57P04') return 'noDatabase';
  return code === '42P01' || code === '3F000' ? 'noTables' : undefined;
}

/** The library reports a lost connection and a timeout by plain errors. */
function kindOfConnectionError(code: string, message: string): Kind | undefined {
  if (/^(CERT_[A-Z_]+|[A-Z_]*(CERT|SIGNATURE|ISSUER)[A-Z_]*)$/.test(code) || CERTIFICATE.test(message))
    return 'certificate';
  return /^E[A-Z_]+$/.test(code) || /timeout|terminated|not queryable|Connection/i.test(message)
    ? 'unreachable'
    : undefined;
}
