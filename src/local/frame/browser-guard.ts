/** The names and addresses under which a service on loopback may be asked. */
const LOOPBACK_HOST = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * Why a request that came over HTTP must not be answered; undefined where it may be. Any page in a browser of this
 * machine can send requests to loopback, and by DNS rebinding under a name of its own. So the Host must be loopback,
 * and what a browser says of the sender (Origin, Sec-Fetch-*) must be this service itself, or a person who typed the
 * address. What is no browser sends none of these; Node's own fetch sends `Sec-Fetch-Mode: cors` and nothing else.
 */
export function refusalOf(request: { readonly url: string; readonly headers: Headers }): string | undefined {
  const { headers } = request;
  const host = headers.get('host') ?? '';
  // A request line may name a host of its own, and that one counts.
  if (!LOOPBACK_HOST.test(host) || !LOOPBACK_HOST.test(new URL(request.url).host))
    return 'the Host of this request is not this machine: use localhost, 127.0.0.1 or [::1]';
  const origin = headers.get('origin');
  if (origin !== null && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
    return 'this request comes from a web page of another origin';
  return isForeignFetch(headers) ? 'this request comes from a web page of another site' : undefined;
}

function isForeignFetch(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site !== 'same-origin' && site !== 'none';
  const mode = headers.get('sec-fetch-mode');
  return (mode !== null && mode !== 'cors') || headers.has('sec-fetch-dest') || headers.has('sec-fetch-user');
}
