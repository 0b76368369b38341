import { safeText } from '../../core/safe-text.ts';

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ENOTFOUND: 'the host name was not found',
  EAI_AGAIN: 'the host name could not be looked up',
  ETIMEDOUT: 'no connection in time',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_SOCKET: 'the other side closed the connection',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is not as long as it said',
};

/** What Node (tls.TLSSocket, X509 certificate error codes) says of an issuer that is not known. */
const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(VERIFY|GET|DECODE)_\w+|CERT_UNTRUSTED|INVALID_CA)$/;
const OTHERWISE_INVALID =
  /^(CERT_REVOKED|CERT_REJECTED|CERT_SIGNATURE_FAILURE|CERT_CHAIN_TOO_LONG|PATH_LENGTH_EXCEEDED|INVALID_PURPOSE|ERROR_IN_CERT_NOT_\w+_FIELD)$/;

/** A certificate that was refused, in words of its own. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError';
  constructor(message: string, cause: Error) {
    super(message, { cause });
  }
}

/** What is known of a certificate; all of it text of the other side. */
export interface CertificateFacts {
  readonly host?: string | undefined;
  /** As Node prints them: `DNS:example.com, IP Address:192.0.2.1`. */
  readonly names?: string | undefined;
  readonly validFrom?: string | undefined;
  readonly validTo?: string | undefined;
}

/** What is wrong with a certificate, in a few words; undefined where an error is about something else. */
export function describeCertificate(error: unknown, facts: CertificateFacts = {}): string | undefined {
  if (error instanceof CertificateError) return error.message;
  if (!(error instanceof Error)) return undefined;
  const code = codeOf(error);
  const short = (text: string | undefined, before: string): string =>
    text === undefined || text === ''
      ? ''
      : `${before}${safeText(text.replace(/\b(DNS|IP Address):/g, '')).slice(0, 200)}`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `it is for another host name${short(facts.names, ': ')}${short(facts.host, ', not for ')}`;
  if (code === 'CERT_HAS_EXPIRED') return `it has expired${short(facts.validTo, ' on ')}`;
  if (code === 'CERT_NOT_YET_VALID') return `it is not valid yet${short(facts.validFrom, ': it begins on ')}`;
  if (code === 'DEPTH_ZERO_SELF_SIGNED_CERT') return `it is self-signed and not trusted ${TRUST}`;
  if (UNTRUSTED.test(code)) return `its issuer is not trusted ${TRUST}`;
  return OTHERWISE_INVALID.test(code) ? `it is not valid (${code})` : undefined;
}

const TRUST = '(NODE_EXTRA_CA_CERTS names a file of more certificates to trust)';

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '');

/** What went wrong on the wire, in a few words without address, header or proxy password. */
export function describeTrouble(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed';
  const certificate = describeCertificate(error);
  if (certificate !== undefined) return certificate;
  const code = codeOf(error);
  const proxy = /^Proxy response \((\d+)\)/.exec(error.message);
  if (proxy !== null) return `the proxy answered ${proxy[1] ?? ''} when asked to connect`;
  if (error.message.startsWith('Proxy Authentication Required'))
    return 'the proxy answered 407: it wants a user name and password, which HTTPS_PROXY or HTTP_PROXY can hold';
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) return 'the TLS handshake failed';
  if (code === 'ECONNRESET' && error.message.includes('TLS')) return 'the TLS handshake was broken off';
  if (code.startsWith('HPE_')) return 'the answer is not HTTP, or breaks off';
  return WORDS[code] ?? (safeText(error.message).slice(0, 200) || 'the connection failed');
}
