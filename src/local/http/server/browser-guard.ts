import type { LocalRequest } from '../call/request-and-answer.ts';

/** The values of Host that a service on loopback accepts. */
const LOOPBACK_HOST = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * The reason to refuse a request that came over HTTP; undefined when it may be answered. Any web page in a browser on this
 * machine can send requests to loopback, and with DNS rebinding under its own host name. So Host must be a loopback name,
 * and the headers with which a browser describes the sender (Origin, Sec-Fetch-*) must name this service, or a person who
 * typed the address. Other programs do not send these headers, except that Node's fetch sends `Sec-Fetch-Mode: cors`.
 */
export function refusalReason({
  origin: sentTo,
  headers,
}: Pick<LocalRequest, 'origin' | 'headers'>): string | undefined {
  const { host = '', origin } = headers;
  // A request line with an absolute URL overrides Host.
  if (!LOOPBACK_HOST.test(host) || !LOOPBACK_HOST.test(sentTo.slice('http://'.length)))
    return 'the Host of this request is not this machine: use localhost, 127.0.0.1 or [::1]';
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
    return 'this request comes from a web page of another origin';
  return isCrossSiteFetch(headers) ? 'this request comes from a web page of another site' : undefined;
}

function isCrossSiteFetch(headers: LocalRequest['headers']): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest, 'sec-fetch-user': user } = headers;
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return (mode !== undefined && mode !== 'cors') || dest !== undefined || user !== undefined;
}
