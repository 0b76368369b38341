import { checkServerIdentity, type PeerCertificate, type TLSSocket } from 'node:tls';
import buildConnector from 'undici/lib/core/connect.js';
import { CertificateError, describeCertificate } from './client-errors.ts';

/** undici reconnects forever after Node's error for a wrong host name, so that error must not reach it. */
export function createTlsConnector(options: buildConnector.Options): buildConnector.Connector {
  const connect = buildConnector(options);
  return (target, callback) => {
    let certificate: PeerCertificate | undefined;
    const socket = connect(target, (...result) => {
      if (result[0] === null) callback(...result);
      else callback(explain(result[0], target.hostname, certificate), null);
    }) as TLSSocket;
    // The certificate is no longer available when the error is reported, so it is read right after the handshake.
    socket.prependOnceListener('secure', () => {
      certificate = socket.getPeerCertificate();
    });
    return socket;
  };
}

/** Node's check of the host name, with an error that says which hosts the certificate is for. */
export function checkHostName(hostname: string, certificate: PeerCertificate): Error | undefined {
  const error = checkServerIdentity(hostname, certificate);
  return error === undefined ? undefined : explain(error, hostname, certificate);
}

function explain(error: Error, hostname: string, certificate: PeerCertificate | undefined): Error {
  const words = describeCertificate(error, {
    host: hostname,
    names: certificate?.subjectaltname ?? nameOf(certificate),
    validFrom: certificate?.valid_from,
    validTo: certificate?.valid_to,
  });
  return words === undefined ? error : new CertificateError(words, error);
}

function nameOf(certificate: PeerCertificate | undefined): string | undefined {
  // Node returns an empty object when there is no certificate.
  const name = (certificate?.subject as { readonly CN?: string | string[] } | undefined)?.CN;
  return typeof name === 'string' ? name : name?.join(', ');
}
