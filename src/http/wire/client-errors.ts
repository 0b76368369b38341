import { errorCode } from '../../core/files.ts';
import { safeText } from '../../core/safe-text.ts';
import { type Stage, WireError } from '../transport.ts';

const MESSAGES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ENOTFOUND: 'the host name was not found',
  EAI_AGAIN: 'the host name could not be looked up',
  ETIMEDOUT: 'no connection in time',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  EMFILE: 'too many files are open (ulimit -n)',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_SOCKET: 'the other side closed the connection',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is not as long as it said',
};

const ABSENT: readonly string[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];

/** Node's error codes for a certificate whose issuer is not trusted (tls, "X509 certificate error codes"). */
const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(VERIFY|GET|DECODE)_\w+|CERT_UNTRUSTED|INVALID_CA)$/;

export class CertificateError extends Error {
  override readonly name = 'CertificateError';
  constructor(message: string, cause: Error) {
    super(message, { cause });
  }
}

export function describeCertificate(error: unknown): string | undefined {
  if (error instanceof CertificateError) return error.message;
  if (!(error instanceof Error)) return undefined;
  const code = errorCode(error) ?? '';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `it is for another host name (${safeText(error.message).slice(0, 300)})`;
  if (code === 'CERT_HAS_EXPIRED') return 'it has expired';
  if (code === 'CERT_NOT_YET_VALID') return 'it is not valid yet';
  if (code === 'DEPTH_ZERO_SELF_SIGNED_CERT') return `it is self-signed and not trusted ${TRUST_HINT}`;
  return UNTRUSTED.test(code) ? `its issuer is not trusted ${TRUST_HINT}` : undefined;
}

const TRUST_HINT = '(NODE_EXTRA_CA_CERTS names a file of more certificates to trust)';

export function toWireError(stage: Stage, error: unknown): WireError {
  const certificate = describeCertificate(error) !== undefined;
  const words = describeClientError(error);
  const final = certificate || words.includes(PROXY_PASSWORD);
  const absent = stage === 'not-sent' && ABSENT.includes(errorCode(error) ?? '');
  return new WireError(stage, words, error, { certificate, final, absent });
}

const PROXY_PASSWORD =
  'the proxy answered 407: it wants a user name and password, which HTTPS_PROXY or HTTP_PROXY can hold';

/** Says in a few words why an exchange failed, without an address, a header or the proxy's password. */
export function describeClientError(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed';
  const certificate = describeCertificate(error);
  if (certificate !== undefined) return certificate;
  const code = errorCode(error) ?? '';
  const proxy = /^Proxy response \((\d+)\)/.exec(error.message);
  if (proxy?.[1] === '407' || error.message.startsWith('Proxy Authentication Required')) return PROXY_PASSWORD;
  if (proxy !== null) return `the proxy answered ${proxy[1] ?? ''} when asked to connect`;
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) return 'the TLS handshake failed';
  if (code === 'ECONNRESET' && error.message.includes('TLS')) return 'the TLS handshake was broken off';
  if (code.startsWith('HPE_')) return 'the answer is not HTTP, or breaks off';
  return MESSAGES[code] ?? (safeText(error.message).slice(0, 200) || 'the connection failed');
}
