import { EXIT, type ExitCode } from '../../../../core/exit-codes.ts';
import { isObject, stringAt } from '../../../../core/json.ts';

/** Why a database cannot be used: what it does, in words that follow its name, and what to do. */
export interface StoreFailure {
  readonly code: string;
  readonly exit: ExitCode;
  readonly what: string;
  readonly hint: string;
}

/** Codes of Node for a chain of certificates that ends at no trusted one. */
const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_[A-Z_]+|CERT_UNTRUSTED|INVALID_CA)$/;
const NO_CLIENT_CERTIFICATE = /requires a valid client certificate|alert (certificate required|handshake failure)/i;
/** Alerts of a server that was shown a certificate, and its words for one of another user. */
const CLIENT_CERTIFICATE_REFUSED =
  /alert (unknown ca|bad certificate|certificate (unknown|revoked|expired)|unsupported certificate|access denied)|certificate authentication failed/i;

/**
 * Returns the failure for an error of TLS: of Node, of OpenSSL, or of the server (28000) about a certificate of the client.
 * Undefined for any other error. `hasClientCertificate` is true where PGSSLCERT or `sslcert` is given.
 */
export function tlsFailureOf(error: Error, hasClientCertificate: boolean): StoreFailure | undefined {
  const { message } = error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // What a server or a pooler says of other connections than this one is no failure of this one.
  if ('severity' in error && !code.startsWith('28')) return undefined;
  if (UNTRUSTED.test(code))
    return server(
      'has a certificate of an authority that is not trusted here',
      'Name the certificate of the authority: PGSSLROOTCERT=FILE, or sslrootcert=FILE in the address.',
    );
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return server(
      `has a certificate for another host name${namesIn(error)}`,
      'Write a name of the certificate as the host of the address. PGSSLMODE=no-verify would check neither name nor authority.',
    );
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return server(
      `has a certificate that ${code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet'}`,
      'Renew it at the server, or correct the clock of this machine. PGSSLMODE=no-verify would not check it.',
    );
  if (message.includes('does not support SSL'))
    return server(
      'has no TLS, and the connection needs it',
      'Turn TLS on at the server. For a database on this machine alone: PGSSLMODE=disable, or sslmode=disable in the address.',
    );
  if (NO_CLIENT_CERTIFICATE.test(message) && !hasClientCertificate)
    return {
      code: 'denied',
      exit: EXIT.denied,
      what: 'asks for a certificate of the client, and none is given',
      hint: 'Set PGSSLCERT and PGSSLKEY to its files, or sslcert=FILE&sslkey=FILE in the address.',
    };
  if (CLIENT_CERTIFICATE_REFUSED.test(message) || NO_CLIENT_CERTIFICATE.test(message))
    return {
      code: 'denied',
      exit: EXIT.denied,
      what: 'refused the certificate of the client',
      hint: 'Check the files of PGSSLCERT and PGSSLKEY: the server must trust their authority, and the certificate may have to name the user.',
    };
  if (/^ERR_OSSL_(X509|PEM|ASN1|RSA|EVP|EC|BN)?/.test(code))
    return {
      code: 'local-file',
      exit: EXIT.localFile,
      what: 'was not asked: a certificate or key of this machine cannot be used',
      hint: 'Check the files of PGSSLCERT, PGSSLKEY and PGSSLROOTCERT: each is PEM, and the key is that of the certificate.',
    };
  if (/^(ERR_SSL_|ERR_TLS_)/.test(code) || /certificate/i.test(code))
    return server(
      'cannot be reached over TLS',
      'Check the address and its port, PGSSLMODE, and the TLS of the server.',
    );
  return undefined;
}

const server = (what: string, hint: string): StoreFailure => ({
  code: 'store-certificate',
  exit: EXIT.unavailable,
  what,
  hint,
});

/** The names that the certificate has: `: it is for localhost, 127.0.0.1`. */
function namesIn(error: Error): string {
  const names = ((isObject(error) ? stringAt(error, 'cert.subjectaltname') : undefined) ?? '')
    .split(', ')
    .flatMap((each) => /^(?:DNS|IP Address):(.+)$/.exec(each)?.[1] ?? []);
  return names.length === 0 ? '' : `: it is for ${names.join(', ')}`;
}
