import { safeText } from '../core/safe.ts';

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
  CERT_HAS_EXPIRED: 'the certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host name',
};

const UNTRUSTED = /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(VERIFY|GET)_\w+)$/;

/** What went wrong on the wire, in a few words without address, header or proxy password. */
export function describeTrouble(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const proxy = /^Proxy response \((\d+)\)/.exec(error.message);
  if (proxy !== null) return `the proxy answered ${proxy[1] ?? ''} when asked to connect`;
  if (error.message.startsWith('Proxy Authentication Required')) return 'the proxy answered 407: it wants a user name';
  if (UNTRUSTED.test(code)) return 'the certificate is not trusted (NODE_EXTRA_CA_CERTS names a file of more to trust)';
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) return 'the TLS handshake failed';
  if (code === 'ECONNRESET' && error.message.includes('TLS')) return 'the TLS handshake was broken off';
  if (code.startsWith('HPE_')) return 'the answer is not HTTP, or breaks off';
  return WORDS[code] ?? (safeText(error.message).slice(0, 200) || 'the connection failed');
}
