import { EXIT } from '../../../../core/exit-codes.ts';
import { Failure } from '../../../../core/failure.ts';
import { safeText } from '../../../../core/safe-text.ts';
import type { StoreAddress } from './store-address.ts';
import { type StoreFailure, tlsFailureOf } from './tls-failures.ts';

/** The failure (14) for a store that has lost something, or holds what no driver wrote. */
export const storeBroken = (message: string, hint: string): Failure =>
  new Failure({ code: 'store-broken', exit: EXIT.localFile, message, hint });

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

/** All other codes of this class say that the user is not let in, whatever the password is: one that may not log in (28000). */
const WRONG_PASSWORD = '28P01';

/** What a pooler says of the TLS between it and its server. */
const CERTIFICATE = /certificate|altnames|does not support SSL|self.signed/i;

/** Returns the failure for an error of the database or of the connection to it. Other errors are returned unchanged. */
export function failureOf({ shown, certificate }: StoreAddress, error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const overTls = tlsFailureOf(error, certificate !== undefined);
  const kind = kindOf(error);
  const found = overTls ?? (kind === undefined ? undefined : KINDS[kind]);
  if (found === undefined) return error;
  const { what, ...facts } = found;
  const said = overTls === undefined ? `: ${error.message}` : '';
  return new Failure({ ...facts, message: safeText(`the database ${shown} ${what}${said}`) }, error);
}

type Kind = keyof typeof KINDS;

const KINDS = {
  unreachable: {
    code: 'store-unavailable',
    exit: EXIT.unavailable,
    what: 'cannot be reached',
    hint: 'Check the address, the network and the database.',
  },
  busy: { code: 'store-unavailable', exit: EXIT.unavailable, what: 'cannot answer now', hint: 'Try again later.' },
  certificate: {
    code: 'store-certificate',
    exit: EXIT.unavailable,
    what: 'cannot be reached over TLS',
    hint: 'Check the certificate. For one of your own authority: sslrootcert=FILE in the address, or PGSSLROOTCERT.',
  },
  refused: {
    code: 'store-refused',
    exit: EXIT.refused,
    what: 'does not accept this connection',
    hint: 'Trying again does not help. Check the address, its sslmode, the settings of the pooler, and PGOPTIONS.',
  },
  login: {
    code: 'denied',
    exit: EXIT.denied,
    what: 'refused the connection',
    hint: 'Set the password in BERTH_STORE, PGPASSWORD or PGPASSFILE.',
  },
  closed: {
    code: 'denied',
    exit: EXIT.denied,
    what: 'refused the connection',
    hint: 'Another password does not help. Check the user in the address, its right to log in, and pg_hba.conf of the server.',
  },
  rights: {
    code: 'denied',
    exit: EXIT.denied,
    what: 'refused a statement',
    hint: 'The user needs the right to create a schema, or the rights on the schema berth.',
  },
  noDatabase: {
    code: 'not-found',
    exit: EXIT.notFound,
    what: 'was not found',
    hint: 'Create it: createdb NAME',
  },
  noTables: {
    code: 'store-broken',
    exit: EXIT.localFile,
    what: 'has lost tables of its batches',
    hint: 'They were removed, or the database was restored to an earlier state. Nothing more was sent.',
  },
} as const satisfies Readonly<Record<string, StoreFailure>>;

function kindOf(error: Error): Kind | undefined {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const isServerError = /^[\dA-Z]{5}$/.test(code) && 'severity' in error;
  return isServerError ? kindOfServerError(code, error.message) : kindOfConnectionError(code, error.message);
}

function kindOfServerError(code: string, message: string): Kind | undefined {
  if (code === POOLER_CODE) {
    if (POOLER_IS_BUSY.test(message)) return 'busy';
    if (/no such database/i.test(message)) return 'noDatabase';
    return POOLER_DENIES.test(message) ? 'login' : CERTIFICATE.test(message) ? 'certificate' : 'refused';
  }
  if (TEMPORARY.test(code) && !PERMANENT.test(code)) return 'busy';
  if (code === WRONG_PASSWORD) return 'login';
  if (code.startsWith('28')) return 'closed';
  if (code === '42501') return 'rights';
  if (code === '3D000' || code === '57P04') return 'noDatabase';
  return code === '42P01' || code === '3F000' ? 'noTables' : undefined;
}

/** The library reports a lost connection and a timeout by plain errors. */
function kindOfConnectionError(code: string, message: string): Kind | undefined {
  return /^E[A-Z_]+$/.test(code) || /timeout|terminated|not queryable|Connection/i.test(message)
    ? 'unreachable'
    : undefined;
}
