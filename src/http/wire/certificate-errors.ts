import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import buildConnector from 'undici/lib/core/connect.js';
import { CertificateError, describeCertificate } from './client-errors.ts';

/** undici reconnects forever after Node's error for a wrong host name, so that error must not reach it. */
export function createTlsConnector(options: buildConnector.Options): buildConnector.Connector {
  const connect = buildConnector(options);
  return (target, callback) =>
    connect(target, (...result) => {
      if (result[0] === null) callback(...result);
      else callback(explain(result[0]), null);
    });
}

/** Node's check of the host name. */
export function checkHostName(hostname: string, certificate: PeerCertificate): Error | undefined {
  const error = checkServerIdentity(hostname, certificate);
  return error === undefined ? undefined : explain(error);
}

function explain(error: Error): Error {
  const words = describeCertificate(error);
  return words === undefined ? error : new CertificateError(words, error);
}
