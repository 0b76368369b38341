import { isLoopback } from '../../../core/addresses/http-address.ts';
import { usage } from '../../../core/failure.ts';

/**
 * Parses the values of --fetch-from: `HOST` for the default port, or `HOST:PORT`. Each is one host, without wildcards, so
 * that every host is one that the user named: also a private address, and the target of a redirect. Over https the
 * certificate proves the host; plain http is for this machine only. Fails with usage (2).
 */
export function allowedHosts(values: readonly string[]) {
  const hosts = new Set(values.map(parseHost));
  return {
    /** Returns the parsed address, or why it is refused. */
    check: (address: string, base?: string): { readonly url: URL } | { readonly refused: string } => {
      const url = httpUrl(address, base);
      if (url === undefined) return { refused: 'it is not an https address' };
      if (url.username !== '' || url.password !== '') return { refused: 'its address holds a user name or password' };
      if (url.protocol === 'http:' && !isLoopback(url.hostname))
        return { refused: 'its address is plain http, not https' };
      if (!hosts.has(url.host)) return { refused: `--fetch-from does not name its host, ${url.host}` };
      return { url };
    },
  };
}

export type AllowedHosts = ReturnType<typeof allowedHosts>;

function parseHost(value: string): string {
  const text = `https://${value}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || value.includes('*') || /[/?#@\\\s]/.test(value) || url.host === '')
    throw usage(
      `--fetch-from takes a host, not ${JSON.stringify(value)}`,
      'Write it as files.example.com or files.example.com:8443, and the option once for each host.',
    );
  return url.host;
}

/** Returns an address of http or https, which may be relative to `base`; undefined for any other text. */
export function httpUrl(text: string, base?: string): URL | undefined {
  const url = URL.canParse(text, base) ? new URL(text, base) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) ? url : undefined;
}
